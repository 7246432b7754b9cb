/* What the files of this room share. */
#ifndef SK_MODEL_INSIDE_H
#define SK_MODEL_INSIDE_H

#include "model/model.h"

/* roles.c */
surekrig_status sk_choose_features(const surekrig_model *model, const char *setting, bool *chosen,
                                   surekrig_error *error); /* chosen: [d] the features of a list, or all */
surekrig_status sk_model_metric(surekrig_model *model, bool *chosen, surekrig_error *error); /* chosen: that count */

/* columns.c: which features count in distances, which in the trend, and the data as they are kriged. */
surekrig_status sk_model_columns(surekrig_model *model, surekrig_error *error);

/* student.c */
double sk_student_quantile(double level, int64_t freedom); /* two-sided, as surekrig_quantile */

/* rows.c */
surekrig_status sk_held_new(surekrig_model *model, surekrig_error *error);
void sk_held_free(struct sk_held *held);
void sk_held_empty(struct sk_held *held); /* of what it looks into; accepts NULL, as the other */

#endif
