# gstat.R TRAIN.csv TEST.csv OUT.csv [CUTOFF]: the whole job by gstat: a variogram fitted to a sample, local kriging from the same
# number of neighbours. Writes the test places with mean and sd to OUT.csv, and to standard output lines of a name and a
# value. The last column is the response; that of TEST.csv is not used.
start <- proc.time()[["elapsed"]]
suppressPackageStartupMessages({ library(sp); library(gstat) })
files <- commandArgs(trailingOnly = TRUE)
NEIGHBORS <- 50
SAMPLE <- 5000
# Of the longest side: neighbourhoods are small, and a variogram of larger distances (gstat's own cutoff) predicts worse.
CUTOFF <- if (length(files) > 3) as.numeric(files[4]) else 1 / 20

say <- function(name, value) cat(name, if (is.numeric(value)) format(value, digits = 6) else value, "\n")
now <- function() proc.time()[["elapsed"]]

train <- read.csv(files[1])
test <- read.csv(files[2])
places <- head(names(train), -1)
response <- tail(names(train), 1)
test[[response]] <- NULL
coordinates(train) <- places
coordinates(test) <- places
model_of <- as.formula(paste(response, "~ 1"))
say("version", paste0("gstat ", packageVersion("gstat"), ", ", R.version$version.string))

began <- now()
set.seed(1)
some <- train[sample(nrow(train), min(SAMPLE, nrow(train))), ]
side <- max(apply(coordinates(train), 2, function(x) diff(range(x))))
empirical <- variogram(model_of, some, cutoff = CUTOFF * side)
sill <- var(some[[response]])
fitted <- fit.variogram(empirical, vgm(sill, "Mat", max(empirical$dist) / 3, sill / 100, kappa = 0.5), fit.kappa = TRUE)
say("train", now() - began)
began <- now()
kriged <- krige(model_of, train, test, model = fitted, nmax = NEIGHBORS, debug.level = 0)
say("predict", now() - began)
out <- cbind(as.data.frame(coordinates(test)), mean = kriged$var1.pred, sd = sqrt(kriged$var1.var))
write.csv(format(out, digits = 17, trim = TRUE), files[3], row.names = FALSE, quote = FALSE)
say("total", now() - start)
matern <- fitted[fitted$model == "Mat", ]
say("settings", sprintf("nmax = %d, ordinary kriging, Matern variogram of %d points up to 1/%.0f of the longest side, fitted with fit.kappa: kappa %.3g, range %.3g, partial sill %.3g, nugget %.3g",
                        NEIGHBORS, nrow(some), 1 / CUTOFF, matern$kappa, matern$range, matern$psill, sum(fitted$psill[fitted$model == "Nug"])))
