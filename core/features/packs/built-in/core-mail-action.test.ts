// test-suite: full
import * as assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { sendmail } from "../../../../plugins-runner/sendmail/index.ts";
import type { JsonObject } from "../../../contract/index.ts";
import { startEngine } from "../../../testing/engine/engine.test-support.ts";

interface Sent {
	/** Arguments of the command. */
	readonly args: string;
	readonly mail: string;
	/** Lines before the first empty one. */
	readonly headers: readonly string[];
	/** Names of the command's variables. */
	readonly variables: readonly string[];
}

interface Mailer {
	/** Send a mail to a stand-in for sendmail; `sent` is undefined when it was not called. */
	send(parameters: JsonObject): Promise<{ readonly status: string; readonly result: JsonObject | null; readonly sent: Sent | undefined }>;
	/** Attachments may lie in `allowed` below it. */
	readonly directory: string;
}

async function withMailer(run: (mailer: Mailer) => Promise<void>, binary?: string): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-mail-"));
	const command = join(directory, "fake sendmail");
	const [args, mail, variables] = ["args", "mail", "variables"].map((name) => join(directory, name)) as [string, string, string];
	await mkdir(join(directory, "allowed"));
	await writeFile(command, `#!/bin/sh\nprintf '%s\\n' "$*" > "${args}"\nenv > "${variables}"\ncat > "${mail}"\n`);
	await chmod(command, 0o755);
	const options = { mail: { sendmail_binary: binary ?? command, attachment_directories: [join(directory, "allowed")] } };
	const { submit, settled, stop } = await startEngine({ runners: [sendmail()], options });
	try {
		await run({
			directory,
			async send(parameters) {
				await rm(mail, { force: true });
				const given = { to: "ann@example.com", subject: "s", body: "b", ...parameters };
				const { id } = await submit(given, { action: "core.sendmail" });
				const { status, result } = await settled(id);
				const text = await readFile(mail, "utf8").catch(() => undefined);
				if (text === undefined) return { status, result, sent: undefined };
				const names = (await readFile(variables, "utf8")).split("\n").map((line) => line.split("=", 1)[0] ?? "");
				const headers = text.split("\n\n", 1)[0]?.split("\n") ?? [];
				return { status, result, sent: { args: (await readFile(args, "utf8")).trim(), mail: text, headers, variables: names } };
			},
		});
	} finally {
		await stop();
		await rm(directory, { recursive: true });
	}
}

const decode = (text: string) => Buffer.from(text, "base64").toString("utf8");

test("a mail goes to sendmail with its headers, its text encoded, and without the run's token", async () => {
	await withMailer(async ({ send }) => {
		const { status, sent, result } = await send({ to: "ann@example.com, bob@example.com", subject: "Hello", body: "<b>hi</b>\n.\n" });
		assert.equal(status, "succeeded", JSON.stringify(result));
		assert.equal(sent?.args, "-i -t");
		assert.deepEqual(sent?.headers, [
			"To: ann@example.com,",
			" bob@example.com",
			"From: svc",
			"Subject: Hello",
			"MIME-Version: 1.0",
			"Content-Type: text/html; charset=UTF-8",
			"Content-Transfer-Encoding: base64",
		]);
		assert.deepEqual(
			sent?.variables.filter((name) => name.startsWith("SVC_")),
			["SVC_ACTION_EXECUTION_ID"],
		);
		assert.equal(decode(sent?.mail.split("\n\n")[1] ?? ""), "<b>hi</b>\n.\n");
		const foreign = await send({ subject: "Grüße 日本", body: "ü", from: "Die Äpfel <ops@example.com>", content_type: "text/plain" });
		assert.deepEqual(foreign.sent?.headers.slice(1, 3), [
			`From: =?UTF-8?B?${Buffer.from("Die Äpfel").toString("base64")}?= <ops@example.com>`,
			`Subject: =?UTF-8?B?${Buffer.from("Grüße 日本").toString("base64")}?=`,
		]);
		const long = await send({ subject: "ü".repeat(100), body: "x".repeat(300_000), to: 'Bob B. <bob@müller.example>, "A" <root>' });
		assert.equal(long.status, "succeeded");
		assert.ok(long.sent?.headers.every((line) => line.length <= 90));
		assert.deepEqual(long.sent?.headers.slice(0, 2), ['To: "Bob B." <bob@xn--mller-kva.example>,', ' "A" <root>']);
	});
});

test("no value becomes a command, an option, a header or a recipient that is a program", async () => {
	await withMailer(async ({ send, directory }) => {
		const marker = join(directory, "marker");
		const values = [
			`$(touch ${marker})`,
			`\`touch ${marker}\``,
			`'; touch ${marker}; '`,
			"-oQ/tmp",
			"%s %n",
			"\\",
			"{{ '{{' }} x }}",
			"=?UTF-8?B?eA==?=",
		];
		for (const value of values) {
			const { status, sent, result } = await send({ subject: value, body: value });
			assert.equal(status, "succeeded", `${value}: ${JSON.stringify(result)}`);
			const expected = value.startsWith("{{") ? "{{ x }}" : value;
			const subject = sent?.headers.find((line) => line.startsWith("Subject: "))?.slice(9) ?? "";
			assert.equal(/^=\?UTF-8\?B\?(.*)\?=$/.test(subject) ? decode(subject.slice(10, -2)) : subject, expected);
			assert.equal(decode(sent?.mail.split("\n\n")[1] ?? ""), expected);
		}
		const addresses = [
			...values.slice(0, 6),
			...[
				"|touch x",
				`"|touch ${marker}"@example.com`,
				"/etc/passwd",
				":include:/etc/passwd",
				"-X/tmp/log",
				"-oQ/tmp@example.com",
				"a b@example.com",
			],
			...[
				"a@b@c",
				"a..b@example.com",
				"@example.com",
				"ann@",
				"ann@-x",
				"<>",
				"Ann <|id>",
				'A "x" <a@b.c>',
				"a@example.com;b",
				"a!b",
				"x@[127.0.0.1]",
			],
		];
		for (const name of ["to", "from"]) {
			for (const address of addresses) {
				const { status, sent, result } = await send({ [name]: address });
				assert.deepEqual([status, sent], ["failed", undefined], `${name}: ${address}`);
				assert.match(String(result?.["error"]), new RegExp(`^${name}`));
			}
		}
		assert.equal((await send({ to: "" })).status, "failed");
		for (const name of ["to", "subject", "from", "content_type"]) {
			for (const value of ["a\nBcc: eve@example.com", "a\r\nBcc: eve@example.com", "a\n", "a\rb", "a\u0000b", "A\n <a@example.com>"]) {
				const { sent, status } = await send({ [name]: value });
				assert.deepEqual([status, sent], ["failed", undefined], `${name}: ${JSON.stringify(value)}`);
			}
		}
		for (const content_type of ["text/plain; charset=x", "text", 'a/b"']) assert.equal((await send({ content_type })).status, "failed");
		await assert.rejects(readFile(marker));
	});
});

test("whoever sends mails chooses neither the command nor its variables", async () => {
	await withMailer(async ({ send }) => {
		for (const name of ["sendmail_binary", "cmd", "cwd", "sudo"]) {
			await assert.rejects(send({ [name]: "/bin/false" }), new RegExp(`"${name}" is unknown`));
		}
		await assert.rejects(send({ env: { PATH: "/tmp" } }), /"env" is unknown/);
	});
});

test("files are attached from the directories that are allowed, several at once, and from nowhere else", async () => {
	await withMailer(async ({ send, directory }) => {
		const allowed = join(directory, "allowed");
		const [first, second] = [join(allowed, 'a "b".txt'), join(allowed, "data.bin")];
		await writeFile(first, "first");
		await writeFile(second, Buffer.from([0, 255, 10]));
		await symlink(second, join(allowed, "inside"));
		const { status, sent, result } = await send({ attachments: `${first}, ${second}` });
		assert.equal(status, "succeeded", JSON.stringify(result));
		const boundary = /boundary="([0-9a-f]{32})"/.exec(sent?.mail ?? "")?.[1] ?? "none";
		const parts = sent?.mail.split(`--${boundary}`) ?? [];
		assert.equal(parts.length, 5);
		assert.match(parts[2] ?? "", /filename="a _b_.txt"\nContent-Transfer-Encoding: base64\n\nZmlyc3Q=\n$/);
		assert.match(parts[3] ?? "", /filename="data.bin"\nContent-Transfer-Encoding: base64\n\nAP8K\n$/);
		assert.equal(parts[4], "--\n");
		assert.equal((await send({ attachments: join(allowed, "inside") })).status, "succeeded");
		await writeFile(join(directory, "secret"), "secret");
		await symlink(join(directory, "secret"), join(allowed, "outside"));
		await symlink(directory, join(allowed, "folder"));
		const foreign = [
			...["/etc/passwd", "/proc/self/environ", "/nothing/here", join(directory, "secret"), `${allowed}/../secret`, `${allowed}x/a`],
			...[join(allowed, "outside"), join(allowed, "folder/secret"), allowed],
		];
		const messages = new Set<string>();
		for (const path of foreign) {
			const refused = await send({ attachments: `${first},${path}` });
			assert.deepEqual([refused.status, refused.sent], ["failed", undefined], path);
			messages.add(String(refused.result?.["error"]).replace(path, "<path>"));
		}
		assert.equal(messages.size, 1);
		assert.equal((await send({ attachments: "allowed/data.bin" })).status, "failed");
	});
});

test("an empty text is sent unless that is switched off", async () => {
	await withMailer(async ({ send }) => {
		assert.ok((await send({ body: "" })).sent !== undefined);
		const { status, sent, result } = await send({ body: "", send_empty_body: false });
		assert.deepEqual([status, sent, result?.["stdout"]], ["succeeded", undefined, "the body is empty: no email was sent"]);
	});
});

test("the end of sendmail is the end of the action", async () => {
	for (const binary of ["/bin/false", "/nothing/here"]) {
		await withMailer(async ({ send }) => assert.equal((await send({})).status, "failed"), binary);
	}
});

test.run();
