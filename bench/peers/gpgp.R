# gpgp.R TRAIN.csv TEST.csv OUT.csv COVARIANCE [PLACES]: the whole job by GpGp, with its own numbers of neighbours: 10, then 30 to
# fit, 60 to predict. The first PLACES columns (all features, unless said) are where points are; those behind them enter the mean
# linearly. In space and time its neighbours need to be told how the two compare: it is fitted twice, first by extents, then by the
# length scales found. GpGp simulates where others have an sd: here it is computed, for what it would simulate. Writes and says what
# gstat.R does.
start <- proc.time()[["elapsed"]]
suppressPackageStartupMessages(library(GpGp))
NEIGHBORS <- 60

say <- function(name, value) cat(name, if (is.numeric(value)) format(value, digits = 6) else value, "\n")
now <- function() proc.time()[["elapsed"]]

arguments <- commandArgs(trailingOnly = TRUE)
train <- as.matrix(read.csv(arguments[1]))
test <- as.matrix(read.csv(arguments[2]))
covariance <- arguments[4]
features <- ncol(train) - 1
places <- if (length(arguments) > 4) seq_len(as.integer(arguments[5])) else seq_len(features)
linear <- setdiff(seq_len(features), places)
mean_of <- function(table) cbind(1, table[, linear, drop = FALSE])
extent_of <- function(x) diff(range(x))
say("version", paste0("GpGp ", packageVersion("GpGp"), ", ", R.version$version.string))

began <- now()
set.seed(1)
fit_in <- function(at, st_scale = NULL)
    fit_model(train[, features + 1], at, mean_of(train), covariance, st_scale = st_scale, silent = TRUE)
at <- train[, places, drop = FALSE]
to <- test[, places, drop = FALSE]
st_scale <- NULL
if (grepl("time", covariance)) { # the last place is a time; the others have one length scale
    st_scale <- c(if (grepl("sphere", covariance)) 1 else extent_of(at[, 1]), extent_of(at[, ncol(at)]))
    st_scale <- fit_in(at, st_scale)$covparms[2:3]
    fit <- fit_in(at, st_scale)
} else {
    fit <- fit_in(at)
}
say("train", now() - began)
began <- now()
mean <- predictions(fit, to, mean_of(test), m = NEIGHBORS, st_scale = st_scale)
# The joint distribution of data and predictions has the precision t(L) L; that of predictions given the data, t(B) B, where B is the
# part of L that belongs to predictions. Rows of Linv are those of L, their columns in near.
sd_of <- function() {
    order <- order_maxmin(to)
    all <- rbind(at[order_maxmin(at), , drop = FALSE], to[order, , drop = FALSE])
    near <- find_ordered_nn(all, NEIGHBORS, lonlat = grepl("sphere", covariance), st_scale = st_scale)
    Linv <- vecchia_Linv(fit$covparms, covariance, all, near, nrow(at) + 1)
    own <- near[-seq_len(nrow(at)), ] - nrow(at)
    inside <- which(own > 0)
    B <- matrix(0, nrow(to), nrow(to))
    B[cbind(row(own)[inside], own[inside])] <- Linv[-seq_len(nrow(at)), ][inside]
    sd <- numeric(nrow(to))
    sd[order] <- sqrt(rowSums(backsolve(B, diag(nrow(to)), upper.tri = FALSE)^2))
    sd
}
sd <- sd_of()
say("predict", now() - began)
write.csv(format(data.frame(mean, sd), digits = 17, trim = TRUE), arguments[3], row.names = FALSE, quote = FALSE)
say("total", now() - start)
say("settings", paste0(covariance, ", covparms ", paste(signif(fit$covparms, 3), collapse = " ")))
