/* What the files of this room share. */
#ifndef SK_MODEL_INSIDE_H
#define SK_MODEL_INSIDE_H

#include "model/model.h"

/* columns.c: which features count in distances, which in the trend, and the data as they are kriged. */
surekrig_status sk_model_columns(surekrig_model *model, surekrig_error *error);

/* rows.c */
surekrig_status sk_model_index(surekrig_model *model, surekrig_error *error); /* of own rows, as the frame is */
void sk_held_free(struct sk_held *held);

#endif
