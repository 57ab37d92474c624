import { asSensor, watchStrays } from "./sensor-strays.ts";

// A program in which a sensor and then the service itself throw where nobody catches it.
watchStrays();
const throwLater = (what: string) =>
	setTimeout(() => {
		throw new Error(what);
	}, 1);
asSensor(
	({ what, reason }) => process.stdout.write(`${what}: ${(reason as Error).message}\n`),
	() => throwLater("of a sensor"),
);
throwLater("of the service");
setInterval(() => {}, 60_000);
