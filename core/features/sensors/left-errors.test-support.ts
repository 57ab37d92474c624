import { handleUncaughtSensorErrors, runAsSensor } from "./uncaught-sensor-errors.ts";

// A program in which a sensor and then the service itself throw where nobody catches it.
handleUncaughtSensorErrors();
const throwLater = (what: string) =>
	setTimeout(() => {
		throw new Error(what);
	}, 1);
runAsSensor(
	({ what, reason }) => process.stdout.write(`${what}: ${(reason as Error).message}\n`),
	() => throwLater("of a sensor"),
);
throwLater("of the service");
setInterval(() => {}, 60_000);
