import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { hashSync } from "bcryptjs";
import { test } from "uvu";
import { type Credentials, isSvcError } from "../../core/contract/index.ts";
import { testAuthBackend } from "../../core/testing/auth-suite.ts";
import { createPluginContext } from "../../core/testing/plugin-context.ts";
import { createStandIn, flatFile } from "./index.ts";
import { open, withFile } from "./opened-file.test-support.ts";

const quickCost = 4;

function toLine({ username, password }: Credentials, cost = quickCost): string {
	return `${username}:${hashSync(password, cost)}\n`;
}

const ann = { username: "ann", password: "correct horse" };

testAuthBackend({
	test,
	name: "flat file",
	create: async (users) => {
		const { backend, file, directory } = await open(users.length === 0 ? undefined : users.map((user) => toLine(user)).join(""));
		return {
			backend,
			cutOff: async () => {
				await rm(file);
				await mkdir(file);
			},
			cleanUp: () => rm(directory, { recursive: true }),
		};
	},
});

test("every prefix of bcrypt is verified", async () => {
	const digest = hashSync(ann.password, quickCost).slice(4);
	await withFile(`a:$2a$${digest}\nb:$2b$${digest}\ny:$2y$${digest}\n`, async ({ signIn }) => {
		for (const name of ["a", "b", "y"]) assert.equal(await signIn(name, ann.password), name);
	});
});

test("comments, blank lines, white space, CRLF and a byte order mark do no harm", async () => {
	await withFile(`\ufeff# users\r\n\r\n  ${toLine(ann).trim()}  \r\n#bob:x\r\n`, async ({ signIn, warnings }) => {
		assert.equal(await signIn("ann", ann.password), "ann");
		assert.equal(await signIn("#bob", "x"), undefined);
		assert.deepEqual(warnings, []);
	});
});

test("of two lines of a user the later one counts", async () => {
	await withFile(toLine({ ...ann, password: "old" }) + toLine(ann), async ({ signIn }) => {
		assert.equal(await signIn("ann", "old"), undefined);
		assert.equal(await signIn("ann", ann.password), "ann");
	});
	await withFile(`${toLine(ann)}ann:{SHA}disabled\n`, async ({ signIn }) => {
		assert.equal(await signIn("ann", ann.password), undefined);
	});
});

test("lines that cannot be used are told once by number, without their text, and the others work", async () => {
	const digest = hashSync("x", quickCost);
	const lines = [
		"no colon secret1",
		":secret2",
		"plain:secret3",
		"md5:$apr1$r31$secret4",
		"sha:{SHA}secret5=",
		`cut:${digest.slice(0, -1)}`,
		"slow:$2b$31$".padEnd(65, "a"),
	];
	await withFile(`${lines.join("\n")}\n${toLine(ann)}`, async ({ signIn, warnings, file }) => {
		assert.equal(await signIn("ann", ann.password), "ann");
		assert.equal(await signIn("plain", "secret3"), undefined);
		assert.equal(await signIn("cut", "x"), undefined);
		assert.deepEqual(
			warnings.map(({ line }) => line),
			[1, 2, 3, 4, 5, 6, 7],
		);
		assert.ok(warnings.every((warning) => warning["file"] === file));
		assert.doesNotMatch(JSON.stringify(warnings), /secret\d/);
	});
});

test("an edit takes effect at the next attempt", async () => {
	await withFile(toLine(ann), async ({ signIn, file }) => {
		assert.equal(await signIn("ann", ann.password), "ann");
		for (const password of ["second", "third!", "fourth"]) {
			await writeFile(file, toLine({ ...ann, password }));
			assert.equal(await signIn("ann", password), "ann");
			assert.equal(await signIn("ann", ann.password), undefined);
		}
		await rm(file);
		assert.equal(await signIn("ann", "fourth"), undefined);
	});
});

test("a missing file has no users and a file of comments has none either", async () => {
	await withFile(undefined, async ({ backend, signIn }) => {
		assert.equal(await backend.isEmpty?.(), true);
		assert.equal(await signIn("ann", ann.password), undefined);
	});
	await withFile("# nobody yet\n", async ({ backend }) => assert.equal(await backend.isEmpty?.(), true));
});

test("a file with lines that cannot be used is not empty: no first user may be made beside them", async () => {
	await withFile("ann:{SHA}abc=\n", async ({ backend }) => assert.equal(await backend.isEmpty?.(), false));
});

test("a new user goes behind what the file holds, which others cannot read from then on", async () => {
	await withFile("# kept", async ({ backend, directory, file, signIn }) => {
		await backend.addUser?.(ann);
		const text = await readFile(file, "utf8");
		assert.match(text, /^# kept\nann:\$2[aby]\$10\$[^\n]+\n$/);
		assert.ok(!text.includes(ann.password));
		assert.equal((await stat(file)).mode & 0o007, 0);
		assert.deepEqual(await readdir(directory), ["htpasswd"]);
		assert.equal(await signIn("ann", ann.password), "ann");
	});
});

test("of services that start at the same time one makes the file, and the others say that it is there", async () => {
	await withFile(undefined, async ({ file, backend, directory, signIn }) => {
		const backends = [backend, ...Array.from({ length: 4 }, () => flatFile({ file }).create())];
		for (const each of backends.slice(1)) await each.start?.(createPluginContext());
		const outcomes = await Promise.allSettled(
			backends.map(async (each, index) => each.addUser?.({ username: "admin", password: `first-${index}` })),
		);
		const [winner, ...others] = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
		assert.deepEqual(others, []);
		for (const outcome of outcomes) assert.ok(outcome.status === "fulfilled" || isSvcError(outcome.reason, "SVC_CONFLICT"));
		assert.equal(await signIn("admin", `first-${winner}`), "admin");
		assert.deepEqual(await readdir(directory), ["htpasswd"]);
		for (const each of backends.slice(1)) await each.stop?.();
	});
});

test("a change leaves all other lines as they are, and of several lines of a user the one that counts", async () => {
	const text = `# people\nann:{SHA}first=\n\n bob:plain \n${toLine(ann)}# end\n`;
	await withFile(text, async ({ backend, file, signIn }) => {
		await backend.setPassword?.({ ...ann, password: "second" }, { isNew: false });
		assert.match(await readFile(file, "utf8"), /^# people\n\n bob:plain \nann:\$2b\$10\$\S+\n# end\n$/);
		assert.equal(await signIn("ann", "second"), "ann");
		// A line that lets nobody in is one of a user, too.
		await backend.removeUser?.("bob");
		await backend.removeUser?.("ann");
		assert.equal(await readFile(file, "utf8"), "# people\n\n# end\n");
	});
});

test("changes at the same time are made one after the other, and none is lost", async () => {
	await withFile(toLine(ann), async ({ file, directory, signIn }) => {
		const backends = Array.from({ length: 4 }, () => flatFile({ file }).create());
		for (const each of backends) await each.start?.(createPluginContext());
		await Promise.all(
			backends.map((each, index) => each.setPassword?.({ username: `user-${index}`, password: `word-${index}` }, { isNew: true })),
		);
		for (const index of backends.keys()) assert.equal(await signIn(`user-${index}`, `word-${index}`), `user-${index}`);
		assert.equal(await signIn("ann", ann.password), "ann");
		assert.deepEqual(await readdir(directory), ["htpasswd"]);
		for (const each of backends) await each.stop?.();
	});
});

test("the lock of a process that was killed holds up nobody, and that of one that lives is waited for", async () => {
	await withFile(toLine(ann), async ({ file, backend, directory }) => {
		const ended = spawnSync(process.execPath, ["-e", ""]);
		await writeFile(`${file}.lock`, `${hostname()} ${ended.pid} x`);
		await backend.setPassword?.({ username: "bob", password: "x" }, { isNew: true });
		await writeFile(`${file}.lock`, `${hostname()} ${process.pid} x`);
		const change = backend.removeUser?.("bob");
		await new Promise((resolve) => setTimeout(resolve, 200));
		assert.deepEqual([...((await backend.listUsers?.()) ?? [])].sort(), ["ann", "bob"]);
		await rm(`${file}.lock`);
		await change;
		assert.deepEqual(await backend.listUsers?.(), ["ann"]);
		assert.deepEqual(await readdir(directory), ["htpasswd"]);
	});
});

test("a user that could not sign in is not added", async () => {
	await withFile(toLine(ann), async ({ backend, file }) => {
		const before = await readFile(file, "utf8");
		const wrong: readonly [Credentials, RegExp][] = [
			[{ username: "bob", password: "" }, /^password: empty/],
			[{ username: "bob", password: "x".repeat(73) }, /^password: longer than 72 bytes/],
			[{ username: "bob", password: "ü".repeat(37) }, /^password: longer than 72 bytes/],
			[{ username: "bob", password: "a\0b" }, /^password: holds a NUL/],
			...["", "a:b", "a\nb", "#a", " a", "a ", "a\0"].map((username): [Credentials, RegExp] => [
				{ username, password: "x" },
				/^username: /,
			]),
		];
		for (const [credentials, message] of wrong) {
			await assert.rejects(
				async () => backend.addUser?.(credentials),
				(error) => isSvcError(error, "SVC_INVALID") && message.test(error.message),
			);
		}
		await assert.rejects(
			async () => backend.addUser?.(ann),
			(error) => isSvcError(error, "SVC_CONFLICT"),
		);
		assert.equal(await readFile(file, "utf8"), before);
	});
});

test("a password whose first 72 bytes are right is refused", async () => {
	const password = "ü".repeat(36);
	await withFile(toLine({ username: "ann", password }), async ({ signIn }) => {
		assert.equal(await signIn("ann", password), "ann");
		assert.equal(await signIn("ann", `${password}x`), undefined);
	});
});

test("where schemes differ, unknown names are spread over those of the users, and each keeps its own", () => {
	const users = new Map(["quick", "slow", "other"].map((stored, index) => [`user-${index}`, stored]));
	const standIn = createStandIn();
	const names = Array.from({ length: 300 }, (_, index) => `nobody-${index}`);
	const first = names.map((name) => standIn(name, users));
	assert.deepEqual(
		names.map((name) => standIn(name, users)),
		first,
	);
	for (const stored of users.values()) assert.ok(first.filter((each) => each === stored).length > 50);
});

test("an unknown name does not get in with the password of a user", async () => {
	await withFile(toLine(ann), async ({ signIn }) => assert.equal(await signIn("nobody", ann.password), undefined));
});

test("a flood of sign-ins is cut off with SVC_UNAVAILABLE, and afterwards all is well", async () => {
	await withFile(toLine(ann), async ({ signIn }) => {
		const outcomes = await Promise.allSettled(Array.from({ length: 500 }, () => signIn("ann", ann.password)));
		const refused = outcomes.filter((outcome) => outcome.status === "rejected");
		assert.ok(refused.length > 0 && refused.length < 500);
		assert.ok(refused.every(({ reason }) => isSvcError(reason, "SVC_UNAVAILABLE")));
		assert.equal(await signIn("ann", ann.password), "ann");
	});
});

test("stop ends attempts that are waiting, and may be called without a start", async () => {
	const { signIn, close } = await open(toLine(ann, 9));
	const attempts = Promise.allSettled([signIn("ann", ann.password), signIn("ann", ann.password)]);
	await signIn("nobody", "x").catch(() => undefined);
	await close();
	for (const outcome of await attempts) assert.ok(outcome.status === "fulfilled" || isSvcError(outcome.reason, "SVC_UNAVAILABLE"));
	await flatFile().create().stop?.();
});

test.run();
