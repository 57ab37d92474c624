import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Storage, SvcError } from "../../contract/index.ts";
import { createBackend, type TestBackend } from "../../testing/backends/backend.test-support.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

interface Setup {
	readonly storage: Storage;
	/** Slow-downs of two nodes that share a storage. */
	readonly nodes: readonly [SignInThrottle, SignInThrottle];
	/** Seconds to add to the time. */
	pass(seconds: number): void;
}

const backends: TestBackend[] = [];

test.after.each(async () => {
	for (const backend of backends.splice(0)) await backend.release();
});

function setUp({ limit = 3, longestWait = 60 } = {}): Setup {
	const backend = createBackend();
	backends.push(backend);
	let now = 1_700_000_000_000_000;
	const node = () => new SignInThrottle({ storage: backend.storage.create(), clock: { now: () => now++ }, limit, longestWait });
	return {
		storage: backend.storage.create(),
		nodes: [node(), node()],
		pass(seconds) {
			now += seconds * 1_000_000;
		},
	};
}

const refuse = async () => {
	throw new SvcError("SVC_UNAUTHORIZED", "wrong");
};
const accept = async () => "in";
const { signal } = new AbortController();

/** What a guess comes to: `wrong`, or the seconds to wait. */
async function guess(node: SignInThrottle, username = "ann", address: string | undefined = "192.0.2.1"): Promise<string | number> {
	try {
		return await node.attempt({ username, address, signal: new AbortController().signal }, refuse);
	} catch (error) {
		if (isSvcError(error, "SVC_TOO_MANY")) return Number(error.facts["retry_after"]);
		return (error as Error).message;
	}
}

exceptOnPostgres("failures beyond the limit cost a wait that doubles up to the longest", async () => {
	const { nodes, pass } = setUp({ limit: 2, longestWait: 5 });
	const waits: (string | number)[] = [];
	assert.equal(await guess(nodes[0]), "wrong");
	for (let round = 0; round < 5; round += 1) {
		assert.equal(await guess(nodes[0]), "wrong");
		const wait = await guess(nodes[0]);
		waits.push(wait);
		pass(Number(wait));
	}
	assert.deepEqual(waits, [1, 2, 4, 5, 5]);
});

test("failures on one node count on the other", async () => {
	const { nodes } = setUp();
	for (const node of [nodes[0], nodes[1], nodes[0]]) assert.equal(await guess(node), "wrong");
	assert.equal(await guess(nodes[1]), 1);
	await assert.rejects(nodes[1].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), /too many failed sign-ins/);
});

exceptOnPostgres("other users and other addresses do not wait, other spellings of the name do", async () => {
	const { nodes } = setUp();
	for (const name of ["ann", "Ann", "ANN"]) assert.equal(await guess(nodes[0], name), "wrong");
	assert.equal(await guess(nodes[0], "aNN"), 1);
	assert.equal(await guess(nodes[0], "bob"), "wrong");
	assert.equal(await guess(nodes[0], "ann", "192.0.2.2"), "wrong");
});

exceptOnPostgres("an address that tries many names has to wait with all of them", async () => {
	const { nodes } = setUp();
	for (let count = 0; count < 30; count += 1) assert.equal(await guess(nodes[count % 2 === 0 ? 0 : 1], `user${count}`), "wrong");
	assert.equal(await guess(nodes[0], "somebody"), 1);
	assert.equal(await guess(nodes[0], "somebody", "192.0.2.2"), "wrong");
});

exceptOnPostgres("a success clears the user's count at that address, not the address's", async () => {
	const { nodes, storage } = setUp();
	await guess(nodes[0]);
	await guess(nodes[0]);
	assert.equal(await nodes[1].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), "in");
	for (let count = 0; count < 3; count += 1) assert.equal(await guess(nodes[0]), "wrong");
	assert.deepEqual((await storage.find("sign_in_failure", {})).map(({ failures }) => failures).sort(), [3, 5, 5]);
});

test("guesses made at once do not all pass before the first one counts", async () => {
	const { nodes } = setUp();
	const results = await Promise.all(Array.from({ length: 20 }, () => guess(nodes[0])));
	assert.equal(results.filter((result) => result === "wrong").length, 3);
});

test("an outage is no failure, and keeps nobody from trying again", async () => {
	const { nodes, storage } = setUp({ limit: 1 });
	const away = async () => {
		throw new SvcError("SVC_UNAVAILABLE", "away");
	};
	for (let count = 0; count < 5; count += 1) {
		await assert.rejects(nodes[0].attempt({ username: "ann", address: "192.0.2.1", signal }, away), /away/);
	}
	assert.equal(await storage.count("sign_in_failure", {}), 0);
});

exceptOnPostgres("failures are forgotten after a while, and removed", async () => {
	const { nodes, storage, pass } = setUp({ longestWait: 10 });
	for (let count = 0; count < 20; count += 1) await guess(nodes[0], `user${count}`, `192.0.2.${count}`);
	pass(101);
	await guess(nodes[0], "ann", "198.51.100.1");
	assert.equal(await storage.count("sign_in_failure", {}), 3);
});

exceptOnPostgres(
	"a user who is guessed from many addresses has to wait at all of them, but where that user has signed in before",
	async () => {
		const { nodes, pass } = setUp();
		assert.equal(await nodes[0].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), "in");
		for (let count = 0; count < 12; count += 1)
			assert.equal(await guess(nodes[count % 2 === 0 ? 0 : 1], "ann", `198.51.100.${count}`), "wrong");
		assert.equal(await guess(nodes[0], "Ann", "203.0.113.1"), 1);
		await assert.rejects(nodes[1].attempt({ username: "ann", address: "203.0.113.1", signal }, accept), /too many failed sign-ins/);
		assert.equal(await guess(nodes[0], "bob", "203.0.113.1"), "wrong");
		for (const node of nodes) assert.equal(await node.attempt({ username: "ann", address: "192.0.2.1", signal }, accept), "in");
		// At an address that ann has signed in from, wrong passwords cost a wait too. The address is forgotten after 31 days.
		for (let count = 0; count < 3; count += 1) assert.equal(await guess(nodes[0]), "wrong");
		assert.equal(await guess(nodes[0]), 1);
		pass(31 * 86_400);
		for (let count = 0; count < 12; count += 1) await guess(nodes[0], "ann", `198.51.100.${count}`);
		await assert.rejects(nodes[0].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), /too many failed sign-ins/);
	},
);

exceptOnPostgres("who has signed in at an address is not kept from it by what others fail there", async () => {
	const { nodes } = setUp();
	assert.equal(await nodes[0].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), "in");
	for (let count = 0; count < 30; count += 1) await guess(nodes[0], `user${count}`);
	assert.equal(await guess(nodes[0], "bob"), 1);
	assert.equal(await nodes[1].attempt({ username: "ann", address: "192.0.2.1", signal }, accept), "in");
});

exceptOnPostgres("addresses of one IPv6 network are one, also as they are written otherwise", async () => {
	const { nodes } = setUp();
	for (const address of ["2001:db8:0:7::1", "2001:DB8::7:0:0:0:2", "2001:db8:0:7:ffff::%eth0"])
		assert.equal(await guess(nodes[0], "ann", address), "wrong");
	assert.equal(await guess(nodes[0], "ann", "2001:db8:0:7:1:2:3:4"), 1);
	assert.equal(await guess(nodes[0], "ann", "2001:db8:0:8::1"), "wrong");
	for (const address of ["192.0.2.9", "::ffff:192.0.2.9", "192.0.2.9"]) assert.equal(await guess(nodes[0], "bob", address), "wrong");
	assert.equal(await guess(nodes[0], "bob", "::ffff:192.0.2.9"), 1);
	assert.equal(await guess(nodes[0], "bob", "::ffff:192.0.2.10"), "wrong");
});

exceptOnPostgres("places are written down once a day, and removed when they are old", async () => {
	const { nodes, storage, pass } = setUp();
	const signIn = (address: string) => nodes[0].attempt({ username: "ann", address, signal }, accept);
	for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) await signIn(address);
	assert.equal(await storage.count("sign_in_place", {}), 2);
	assert.doesNotMatch(JSON.stringify(await storage.find("sign_in_place", {})), /ann|192/);
	pass(31 * 86_400);
	await signIn("192.0.2.1");
	assert.equal(await storage.count("sign_in_place", {}), 1);
});

exceptOnPostgres("a limit of 0 switches it off", async () => {
	const { nodes, storage } = setUp({ limit: 0 });
	for (let count = 0; count < 20; count += 1) assert.equal(await guess(nodes[0]), "wrong");
	assert.equal(await storage.count("sign_in_failure", {}), 0);
});

exceptOnPostgres("neither names nor addresses are kept", async () => {
	const { nodes, storage } = setUp();
	await guess(nodes[0], "a password in the wrong field");
	assert.doesNotMatch(JSON.stringify(await storage.find("sign_in_failure", {})), /password|192/);
});

test.run();
