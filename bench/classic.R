# classic.R sets FOLDER: data that R's packages carry, as CSV files with the response last.
# classic.R peers FOLDER: gstat and fields on the folds that bench/classic.py has cut there. Lines of fold, program, and sums over the test
# points: of squares, hits, CRPS, interval score, and their number.
suppressMessages({library(sp); library(gstat); library(fields); library(MASS)})
words <- commandArgs(TRUE)
setwd(words[2])

make_sets <- function() {
    keep <- function(name, d) write.csv(d[complete.cases(d), ], paste0(name, ".csv"), row.names = FALSE, quote = FALSE)
    data(meuse, jura, coalash, pcb, fulmar, sic97, ozone2, COmonthlyMet, envir = globalenv())
    keep("meuse", data.frame(x = meuse$x, y = meuse$y, z = log(meuse$zinc)))
    keep("jura", data.frame(x = prediction.dat$Xloc, y = prediction.dat$Yloc, z = prediction.dat$Cd))
    keep("coalash", data.frame(x = coalash$x, y = coalash$y, z = coalash$coalash))
    keep("pcb", data.frame(x = pcb$x, y = pcb$y, z = log(pcb$PCB138)))
    keep("fulmar", data.frame(x = fulmar$x, y = fulmar$y, z = fulmar$fulmar))
    keep("swissrain", data.frame(x = coordinates(sic_full)[, 1], y = coordinates(sic_full)[, 2], z = sic_full$rainfall))
    keep("ozone", data.frame(lon = ozone2$lon.lat[, 1], lat = ozone2$lon.lat[, 2], z = ozone2$y[16, ]))
    keep("colorado", data.frame(lon = CO.loc[, 1], lat = CO.loc[, 2], elevation = CO.elev, z = CO.tmax.MAM.climate))
    keep("quakes", data.frame(lon = quakes$long, lat = quakes$lat, z = quakes$depth))
    keep("topo", topo)
}

scores <- function(y, mean, sd) {
    z <- (y - mean) / sd
    half <- qnorm(0.975) * sd
    crps <- sd * (z * (2 * pnorm(z) - 1) + 2 * dnorm(z) - 1 / sqrt(pi))
    c(sum((y - mean)^2), sum(abs(y - mean) <= half), sum(crps), sum(2 * half + 40 * pmax(abs(y - mean) - half, 0)), length(y))
}
# Ordinary kriging in the plane, with a drift in a third feature; the family of the variogram that fits best.
by_gstat <- function(train, test) {
    names <- names(train)
    d <- ncol(train) - 1
    how <- as.formula(paste(names[d + 1], "~", if (d == 3) names[3] else "1"))
    coordinates(train) <- names[1:2]
    observed <- test[[d + 1]]
    coordinates(test) <- names[1:2]
    model <- suppressWarnings(fit.variogram(variogram(how, train), vgm(c("Exp", "Sph", "Mat", "Gau"))))
    at <- as.data.frame(krige(how, train[!duplicated(coordinates(train)), ], test, model, debug.level = 0))
    scores(observed, at$var1.pred, sqrt(pmax(at$var1.var, 1e-12)))
}
# A Matern process by maximum likelihood, with a linear trend.
by_fields <- function(train, test) {
    d <- ncol(train) - 1
    x <- as.matrix(train[, 1:2]); at <- as.matrix(test[, 1:2])
    if (d == 3) {
        fit <- spatialProcess(x, train[, 4], Z = as.matrix(train[, 3]), verbose = FALSE)
        mean <- predict(fit, at, Z = as.matrix(test[, 3])); sd <- predictSE(fit, at, Z = as.matrix(test[, 3]))
    } else {
        fit <- spatialProcess(x, train[, 3], verbose = FALSE)
        mean <- predict(fit, at); sd <- predictSE(fit, at)
    }
    scores(test[[d + 1]], mean, sqrt(sd^2 + fit$summary["tau"]^2))
}

if (words[1] == "sets") make_sets() else for (file in sort(Sys.glob("*-train.csv"))) {
    train <- read.csv(file)
    test <- read.csv(sub("-train", "-test", file))
    for (program in c("gstat", "fields")) {
        found <- try(suppressWarnings(get(paste0("by_", program))(train, test)), silent = TRUE)
        if (is.numeric(found) && all(is.finite(found))) cat(sub("-train.csv", "", file), program, found, "\n")
    }
}
