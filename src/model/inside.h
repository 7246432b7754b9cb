/* What the files of model/ share. Nobody else includes this. */
#ifndef SK_MODEL_INSIDE_H
#define SK_MODEL_INSIDE_H

#include "model/model.h"

/* by.c: the data's groups, where the setting `by` asks for them and they are not given: rows alike in the features that
 * chosen [d] says. */
surekrig_status sk_model_group_rows(surekrig_model *model, const bool *chosen, surekrig_error *error);

#endif
