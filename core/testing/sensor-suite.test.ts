// test-waits
import { test } from "uvu";
import type { Sensor } from "../contract/index.ts";
import { closeLeftOpen } from "./broken/lifecycle.test-support.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { brokenSensors, createSoundSensor, Happenings } from "./broken/sensors.test-support.ts";
import type { RegisterTest } from "./run-kit.ts";
import { testSensor } from "./sensor-suite.ts";

const register = (test: RegisterTest, spoil: (sound: Sensor) => Sensor) =>
	testSensor({
		test,
		name: "sensor",
		create: async () => {
			const happenings = new Happenings();
			return {
				plugin: { kind: "sensor", name: "happenings", create: () => spoil(createSoundSensor(happenings)) },
				provoke: async () => happenings.add(),
			};
		},
		grace: 300,
	});

test.after.each(closeLeftOpen);

for (const { name, spoil, ...refusal } of brokenSensors) {
	test(`the kit refuses a sensor of which it is true that ${name}`, () => assertRefused(refusal, (check) => register(check, spoil)));
}

test("the kit accepts the sensor that the broken ones are made of", () => assertAccepted((check) => register(check, (sound) => sound)));

test.run();
