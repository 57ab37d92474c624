// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend } from "../../contract/index.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { withService } from "../../testing/http/service.test-support.ts";

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

async function ask(url: string, text: string, address?: string, signal?: AbortSignal): Promise<number> {
	const headers = { ...basic(text), ...(address !== undefined && { "x-forwarded-for": address }) };
	const response = await fetch(`${url}/tokens`, { method: "POST", headers, ...(signal !== undefined && { signal }) });
	await response.text();
	return response.status;
}

/** Takes a name for its password, once it is let go on; the names in the order in which they came to it. */
function holding() {
	const entered: string[] = [];
	let held: Promise<void> | undefined;
	let release = () => {};
	const backend = defineAuthBackend("holding", () => ({
		async authenticate({ username, password }) {
			entered.push(username);
			await held;
			return password === username ? { username } : undefined;
		},
	}));
	return {
		backend: backend(),
		entered,
		hold() {
			held = new Promise((resolve) => (release = resolve));
		},
		release: () => release(),
	};
}

/** What has been sent before has come in, and stands where it has to wait. */
async function cameIn(url: string): Promise<void> {
	for (let count = 0; count < 30; count += 1) await (await fetch(`${url}/nothing`)).text();
}

for (const [place, address] of [
	["another address", "192.0.2.200"],
	["the same address", "192.0.2.1"],
] as const) {
	test(`a right sign-in from ${place} does not stand behind 90 wrong ones`, async () => {
		const { backend, entered, hold, release } = holding();
		await withGuardedService(
			async ({ urls }) => {
				hold();
				const wrong = Array.from({ length: 90 }, (_, count) => ask(urls.auth, `user${count}:wrong`, "192.0.2.1").catch(() => 0));
				await cameIn(urls.auth);
				const right = ask(urls.auth, "ann:ann", address).catch(() => 0);
				await cameIn(urls.auth);
				release();
				assert.equal(await right, 201);
				const turn = entered.filter((name) => name !== "root").indexOf("ann");
				assert.ok(turn < 20, `turn ${turn}`);
				for (const status of await Promise.all(wrong)) assert.ok(status === 401 || status === 429, String(status));
			},
			{ auth: { backend, trusted_proxies: ["127.0.0.1"] } },
		);
	});
}

test("a user who is guessed from many addresses at once signs in where that user has before", async () => {
	const { backend, entered, hold, release } = holding();
	await withGuardedService(
		async ({ urls }) => {
			assert.equal(await ask(urls.auth, "ann:ann", "192.0.2.200"), 201);
			hold();
			const before = entered.length;
			const wrong = Array.from({ length: 90 }, (_, count) => ask(urls.auth, "ann:wrong", `198.51.100.${count}`).catch(() => 0));
			await cameIn(urls.auth);
			const right = ask(urls.auth, "ann:ann", "192.0.2.200").catch(() => 0);
			await cameIn(urls.auth);
			assert.ok(entered.length - before < 20, `${entered.length - before} verifications at once`);
			release();
			assert.equal(await right, 201);
			const statuses = await Promise.all(wrong);
			assert.ok(statuses.filter((status) => status === 401).length < 45, "a limit for each user");
			assert.equal(await ask(urls.auth, "ann:wrong", "203.0.113.1"), 429);
			assert.equal(await ask(urls.auth, "ann:ann", "192.0.2.200"), 201);
		},
		{ auth: { backend, trusted_proxies: ["127.0.0.1"] }, isTimeFrozen: true },
	);
});

test("with real passwords, changing addresses that nobody vouches for guess no faster, and the administrator gets in meanwhile", () =>
	withService(
		async ({ urls }) => {
			let done = 0;
			const enough = new AbortController();
			const wrong = Array.from({ length: 90 }, async (_, count) => {
				const status = await ask(urls.auth, `user${count}:wrong`, `198.51.100.${count}`, enough.signal).catch(() => 0);
				done += 1;
				return status;
			});
			assert.equal(await ask(urls.auth, "admin:a password"), 201);
			assert.ok(done < 45, `${done} wrong ones were answered before`);
			const refused = wrong.map(async (status) => assert.equal(await status, 429));
			await Promise.any(refused);
			// To hash the passwords of all that wait takes six seconds.
			enough.abort();
			await Promise.all(wrong);
		},
		{ isPasswordSlow: true },
	));

test.run();
