# gstat.R TRAIN.csv TEST.csv OUT.csv [PLACES [CUTOFF]]: the whole job by gstat: a variogram fitted to a sample, local kriging from the same
# number of neighbours; of few data the variogram and the neighbours gstat has by itself, all of them. The first PLACES columns (all
# features, unless said) are where points are; those behind them are a linear trend. Writes the test places with mean and sd to
# OUT.csv, and to standard output lines of a name and a value. The last column of TRAIN.csv is the response; one of its name in
# TEST.csv is not used.
start <- proc.time()[["elapsed"]]
suppressPackageStartupMessages({ library(sp); library(gstat) })
files <- commandArgs(trailingOnly = TRUE)
NEIGHBORS <- 50
SAMPLE <- 5000
FEW <- 1000
# Of the longest side: neighbourhoods are small, and a variogram of larger distances (gstat's own cutoff) predicts worse.
CUTOFF <- if (length(files) > 4) as.numeric(files[5]) else 1 / 20

say <- function(name, value) cat(name, if (is.numeric(value)) format(value, digits = 6) else value, "\n")
now <- function() proc.time()[["elapsed"]]

train <- read.csv(files[1])
test <- read.csv(files[2])
features <- head(names(train), -1)
response <- tail(names(train), 1)
places <- if (length(files) > 3) head(features, as.integer(files[4])) else features
trend <- setdiff(features, places)
few <- nrow(train) <= FEW
test[[response]] <- NULL
coordinates(train) <- places
coordinates(test) <- places
model_of <- reformulate(if (length(trend)) trend else "1", response)
say("version", paste0("gstat ", packageVersion("gstat"), ", ", R.version$version.string))

began <- now()
set.seed(1)
some <- train[sample(nrow(train), min(SAMPLE, nrow(train))), ]
side <- max(apply(coordinates(train), 2, function(x) diff(range(x))))
empirical <- if (few) variogram(model_of, some) else variogram(model_of, some, cutoff = CUTOFF * side)
sill <- var(some[[response]])
start_from <- if (few) vgm(c("Exp", "Sph", "Mat")) else vgm(sill, "Mat", max(empirical$dist) / 3, sill / 100, kappa = 0.5)
fitted <- fit.variogram(empirical, start_from, fit.kappa = TRUE)
say("train", now() - began)
began <- now()
kriged <- krige(model_of, train, test, model = fitted, nmax = if (few) Inf else NEIGHBORS, debug.level = 0)
say("predict", now() - began)
out <- cbind(as.data.frame(coordinates(test)), mean = kriged$var1.pred, sd = sqrt(kriged$var1.var))
write.csv(format(out, digits = 17, trim = TRUE), files[3], row.names = FALSE, quote = FALSE)
say("total", now() - start)
field <- fitted[fitted$model != "Nug", ]
say("settings", sprintf("%s neighbours, kriging with %s, %s variogram of %d points up to %.3g, fitted with fit.kappa: kappa %.3g, range %.3g, partial sill %.3g, nugget %.3g",
                        if (few) "all" else NEIGHBORS, if (length(trend)) "a linear trend" else "a constant mean", field$model, nrow(some),
                        max(empirical$dist), field$kappa, field$range, field$psill, sum(fitted$psill[fitted$model == "Nug"])))
