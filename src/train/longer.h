/* Whether two features with one length scale want one each, and along which directions. */
#ifndef SK_LONGER_H
#define SK_LONGER_H

#include "train/train.h"

typedef struct sk_longer {
    bool plainly;     /* they do */
    double turn;      /* degrees of the longer one, as the setting has it; 0: along the features */
    double doublings; /* of one length scale to the other, of a turned plane */
} sk_longer;

/* Whether nobody said otherwise, and there is time. Under a coverage constraint it is not the likelihood that is
 * searched. */
bool sk_may_ask_longer(const surekrig_data *data, const surekrig_settings *settings);
surekrig_status sk_training_longer(sk_training *training, sk_longer *longer, surekrig_error *error);
/* What was found, as settings of another training, and where that begins. */
surekrig_status sk_take_longer(const sk_longer *longer, surekrig_settings *settings, surekrig_error *error);
void sk_begin_longer(const sk_longer *longer, const surekrig_settings *settings, sk_start *start);

#endif
