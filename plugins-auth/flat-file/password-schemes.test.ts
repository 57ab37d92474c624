// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { Logger } from "../../core/contract/index.ts";
import { testAuthBackend } from "../../core/testing/auth-suite.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { open, withFile } from "./opened-file.test-support.ts";
import { PasswordFile } from "./password-file.ts";
import { md5Crypt } from "./password-schemes.ts";
import { shaCrypt } from "./sha-crypt.ts";

const { test: htpasswdTest } = requires(test, { command: "htpasswd" });
const { test: mkpasswdTest } = requires(test, { command: "mkpasswd" });
const { test: libcryptTest } = requires(test, { command: "mkpasswd", package: "koffi" });

/** The line that the real htpasswd writes. */
function htpasswd(username: string, password: string, ...options: string[]): string {
	return execFileSync("htpasswd", ["-ni", ...options, username], { input: password, stdio: ["pipe", "pipe", "ignore"] })
		.toString()
		.trim();
}

/** What the real mkpasswd makes of a password. */
function mkpasswd(password: string, method: string, ...options: string[]): string {
	return execFileSync("mkpasswd", ["-m", method, "-s", ...options], { input: `${password}\n` })
		.toString()
		.trim();
}

/** Short and long ones, at and around the borders of the digests' blocks. */
const lengths = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 71, 72, 96, 127, 128, 129, 192, 255];
const passwords = ["a", "correct horse", "pässwörd – 密码 \u{1f511}", `'"\\$(id)*)(%s:`, " outer "];

async function assertVerifies(lines: readonly string[], toPassword: (index: number) => string): Promise<void> {
	await withFile(`${lines.join("\n")}\n`, async ({ signIn }) => {
		for (const [index, line] of lines.entries()) {
			const username = line.slice(0, line.indexOf(":"));
			const password = toPassword(index);
			assert.equal(await signIn(username, password), username, `${line} ${password}`);
			assert.equal(await signIn(username, `x${password}`), undefined, line);
			assert.equal(await signIn(username, line.slice(line.indexOf(":") + 1)), undefined, line);
		}
	});
}

htpasswdTest("entries of every kind that htpasswd writes are verified", async () => {
	// The fewest rounds that a scheme permits, for its rounds are what verifying it costs. The defaults are tried once.
	const kinds = ["-m", "-B -C 4", "-s", "-d", "-2 -r 1000", "-5 -r 1000"];
	const defaults = ["-B", "-2", "-5"].map((kind) => ({ kind, password: "correct horse" }));
	const entries = [...kinds.flatMap((kind) => passwords.map((password) => ({ kind, password }))), ...defaults];
	const lines = entries.map(({ kind, password }, index) => htpasswd(`user-${index}`, password, ...kind.split(" ")));
	await assertVerifies(lines, (index) => entries[index]?.password ?? "");
});

/** Each method, with the fewest rounds that it permits. */
const methods = ["bcrypt -R 4", "bcrypt-a -R 4", "sha512crypt -R 1000", "sha256crypt -R 1000", "md5crypt", "descrypt"];
const systemMethods = ["yescrypt -R 1", "gost-yescrypt -R 1", "scrypt -R 6", "sunmd5 -R 1", "bsdicrypt -R 1", "nt"];

for (const [kind, list, register] of [
	["portable", methods, mkpasswdTest],
	["libcrypt's", systemMethods, libcryptTest],
] as const) {
	register(`entries of the ${kind} kinds that mkpasswd writes are verified`, async () => {
		const lines = list.map((words) => {
			const [method = "", ...options] = words.split(" ");
			return `${method}:${mkpasswd("correct horse", method, ...options)}`;
		});
		await assertVerifies(lines, () => "correct horse");
	});
}

mkpasswdTest("rounds of SHA crypt are kept to", async () => {
	const rounds = ["1000", "4999", "5000", "5001"];
	const lines = ["sha256crypt", "sha512crypt"].flatMap((method) =>
		rounds.map((number) => `${method}-${number}:${mkpasswd("secret", method, "-R", number)}`),
	);
	await assertVerifies(lines, () => "secret");
});

mkpasswdTest("passwords of every length give what crypt(3) gives", () => {
	for (const length of lengths) {
		const password = "0123456789abcdefü".repeat(16).slice(0, length);
		const bytes = Buffer.from(password);
		for (const method of ["sha256crypt", "sha512crypt"]) {
			const stored = mkpasswd(password, method, "-R", "1000");
			assert.equal(shaCrypt(bytes, stored), stored, `${method} ${length}`);
		}
		const stored = mkpasswd(password, "md5crypt");
		assert.equal(md5Crypt(bytes, stored), stored, `md5crypt ${length}`);
	}
});

htpasswdTest("passwords of every length give what Apache gives", () => {
	for (const length of lengths) {
		const password = "密0123456789abcde".repeat(16).slice(0, length).slice(0, 200);
		const stored = htpasswd("u", password, "-m").slice(2);
		assert.equal(md5Crypt(Buffer.from(password), stored), stored, String(length));
	}
});

htpasswdTest("a plain-text password lets nobody in, whatever it looks like", async () => {
	const plain = [
		"secret",
		"thirteenchars",
		"abcdefghijkl.",
		"$2y$10$secret",
		"{SHA}secret",
		"$apr1$salt$secret",
		"$6$salt$secret",
		"$y$j9T$x$y",
		"*",
		"!",
	];
	const lines = [...plain.map((password, index) => `user-${index}:${password}`), htpasswd("written", "secret", "-p")];
	await withFile(`${lines.join("\n")}\n`, async ({ signIn }) => {
		for (const [index, password] of plain.entries()) assert.equal(await signIn(`user-${index}`, password), undefined, password);
		assert.equal(await signIn("written", "secret"), undefined);
	});
});

htpasswdTest("weak schemes work and are told once by line; an edit elsewhere does not tell them again", async () => {
	const weak = [htpasswd("md5", "secret", "-m"), htpasswd("sha1", "secret", "-s"), htpasswd("des", "secret", "-d")];
	const strong = htpasswd("bcrypt", "secret", "-B");
	await withFile(`${strong}\n${weak.join("\n")}\n`, async ({ signIn, warnings, file }) => {
		for (const name of ["md5", "sha1", "des", "bcrypt", "md5"]) assert.equal(await signIn(name, "secret"), name);
		assert.deepEqual(
			warnings.map(({ line, scheme }) => [line, scheme]),
			[
				[2, "MD5 crypt"],
				[3, "SHA-1"],
				[4, "DES crypt"],
			],
		);
		await writeFile(file, `# edited\n${strong}\n${weak.join("\n")}\n${htpasswd("new", "secret", "-s")}\n`);
		assert.equal(await signIn("new", "secret"), "new");
		assert.deepEqual(
			warnings.slice(3).map(({ line }) => line),
			[6],
		);
	});
});

htpasswdTest("of a DES password the first eight characters count", async () => {
	await withFile(`${htpasswd("ann", "12345678", "-d")}\n`, async ({ signIn }) => {
		assert.equal(await signIn("ann", "12345678 and more"), "ann");
		assert.equal(await signIn("ann", "1234567"), undefined);
	});
});

test("a scheme that the machine cannot verify is reported by line and refused", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-password-file-"));
	try {
		const lines: unknown[] = [];
		const ignore = () => undefined;
		const logger: Logger = { debug: ignore, info: ignore, error: ignore, warn: (_, fields = {}) => void lines.push(fields["line"]) };
		const path = join(directory, "htpasswd");
		await writeFile(path, `ann:{SHA}${"a".repeat(27)}=\nbob:$y$j9T$abc$def\neve:$9$abc$def\n`);
		const { users, isEmpty } = await new PasswordFile(path, { logger, canVerify: async () => false }).read();
		assert.deepEqual([...users.keys()], ["ann"]);
		assert.equal(isEmpty, false);
		assert.deepEqual(lines, [1, 2, 3]);
	} finally {
		await rm(directory, { recursive: true });
	}
});

mkpasswdTest("many rounds do not hold the main thread", async () => {
	const [few, many] = ["1000", "200000"].map((rounds) => mkpasswd("secret", "sha512crypt", "-R", rounds));
	await withFile(`ann:${many}\nbob:${few}\n`, async ({ signIn }) => {
		// So that the thread has been started.
		await signIn("bob", "wrong");
		let longest = 0;
		let last = performance.now();
		const timer = setInterval(() => {
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
		}, 1);
		const begin = performance.now();
		assert.equal(await signIn("ann", "secret"), "ann");
		clearInterval(timer);
		assert.ok(longest < (performance.now() - begin) / 3, `held for ${longest} ms`);
	});
});

// `flat-file.test.ts` has the suite for a scheme that needs no library of the system.
testAuthBackend({
	test: libcryptTest,
	name: "flat file with yescrypt",
	create: async (users) => {
		const lines = users.map(({ username, password }) => `${username}:${mkpasswd(password, "yescrypt", "-R", "1")}\n`);
		const { backend, file, directory } = await open(users.length === 0 ? undefined : lines.join(""));
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

test.run();
