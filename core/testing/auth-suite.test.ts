// test-waits
import { test } from "uvu";
import type { AuthBackend } from "../contract/index.ts";
import { testAuthBackend } from "./auth-suite.ts";
import { brokenAuthBackends, createSoundBackend } from "./broken/auth-backends.test-support.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { brokenSignOns, createSignOn, type SignOnCheck } from "./broken/sign-ons.test-support.ts";
import type { RegisterTest } from "./run-kit.ts";

const register = (test: RegisterTest, spoil: (sound: AuthBackend) => AuthBackend) =>
	testAuthBackend({
		test,
		name: "backend",
		create: async (users) => {
			const made = createSoundBackend(users);
			return { ...made, backend: spoil(made.backend) };
		},
	});

for (const { name, spoil, ...refusal } of brokenAuthBackends) {
	test(`the kit refuses an auth backend of which it is true that ${name}`, () => assertRefused(refusal, (check) => register(check, spoil)));
}

test("the kit accepts the auth backend that the broken ones are made of", () =>
	assertAccepted((check) => register(check, (sound) => sound)));

const registerSignOn = (test: RegisterTest, skipped: readonly SignOnCheck[]) =>
	testAuthBackend({
		test,
		name: "backend",
		createInteractive: async (provider) => ({ backend: createSignOn(provider, new Set(skipped)) }),
	});

for (const { name, skipped, refusedBy } of brokenSignOns) {
	test(`the kit refuses sign-in with a provider of which it is true that ${name}`, () =>
		assertRefused({ refusedBy }, (check) => registerSignOn(check, [skipped])));
}

test("the kit accepts the sign-in with a provider that the broken ones are made of", () =>
	assertAccepted((check) => registerSignOn(check, [])));

test.run();
