import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { defineAuthBackend, defineEventBus, defineRunner, defineSensor, defineStorage } from "../contract/index.ts";
import { contractStatement } from "./assert-contract.ts";
import { testAuthBackend } from "./auth-suite.ts";
import { createSoundBackend } from "./broken/auth-backends.test-support.ts";
import { assertRefused } from "./broken/refusals.test-support.ts";
import { createSoundSensor, Happenings } from "./broken/sensors.test-support.ts";
import { testEventBus } from "./event-bus-suite.ts";
import { mockRunner } from "./mock-runner.ts";
import type { RegisterTest } from "./run-kit.ts";
import { testRunner } from "./runner-suite.ts";
import { testSensor } from "./sensor-suite.ts";
import { testStorage } from "./storage-suite.ts";

const name = "early";
const terms = { contract: 2 };

/** The kit of each kind, on a plugin for a version that is not known. */
const kits: Readonly<Record<string, (test: RegisterTest) => void>> = {
	runner: (test) => testRunner({ test, name, create: defineRunner(name, () => mockRunner().create(), terms), cases: {} }),
	"auth backend"(test) {
		const create: Parameters<typeof testAuthBackend>[0]["create"] = async (users) => {
			const made = createSoundBackend(users);
			return { ...made, backend: defineAuthBackend(name, () => made.backend, terms)().create() };
		};
		testAuthBackend({ test, name, create });
	},
	storage(test) {
		const early = defineStorage(name, () => memoryStorage().create(), terms);
		testStorage({ test, name, create: async () => ({ storage: early().create(), stop: async () => {} }) });
	},
	"event bus": (test) =>
		testEventBus({ test, name, create: async () => defineEventBus(name, () => memoryBus().create(), terms)().create() }),
	sensor(test) {
		const early = defineSensor(name, () => createSoundSensor(new Happenings()), terms);
		testSensor({ test, name, create: async () => ({ plugin: early(), provoke: async () => {} }) });
	},
};

for (const [kind, register] of Object.entries(kits)) {
	test(`the kit refuses a plugin of the kind ${kind} that is written for a version of the contract that is not known`, () =>
		assertRefused({ refusedBy: contractStatement }, register));
}

test.run();
