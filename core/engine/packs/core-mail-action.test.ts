import * as assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import type { JsonObject } from "../../contract/index.ts";
import { startEngine } from "../engine.test-support.ts";

interface Sent {
	/** Arguments of the command. */
	readonly args: string;
	readonly mail: string;
	/** Lines before the first empty one. */
	readonly headers: readonly string[];
}

interface Mailer {
	/** Send a mail to a stand-in for sendmail; undefined when it was not called. */
	send(parameters: JsonObject): Promise<{ readonly status: string; readonly result: JsonObject | null; readonly sent: Sent | undefined }>;
	readonly directory: string;
}

async function withMailer(run: (mailer: Mailer) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-mail-"));
	const binary = join(directory, "fake sendmail");
	const [args, mail] = [join(directory, "args"), join(directory, "mail")];
	await writeFile(binary, `#!/bin/sh\nprintf '%s\\n' "$*" > "${args}"\ncat > "${mail}"\n`);
	await chmod(binary, 0o755);
	const { submit, settled, stop } = await startEngine({ runners: [localCommand()] });
	try {
		await run({
			directory,
			async send(parameters) {
				await rm(mail, { force: true });
				const { id } = await submit(
					{ to: "ann@example.com", subject: "s", body: "b", sendmail_binary: binary, ...parameters },
					{ action: "core.sendmail" },
				);
				const { status, result } = await settled(id);
				const text = await readFile(mail, "utf8").catch(() => undefined);
				const headers = text?.split("\n\n", 1)[0]?.split("\n") ?? [];
				return {
					status,
					result,
					sent: text === undefined ? undefined : { args: (await readFile(args, "utf8")).trim(), mail: text, headers },
				};
			},
		});
	} finally {
		await stop();
		await rm(directory, { recursive: true });
	}
}

const decode = (text: string) => Buffer.from(text, "base64").toString("utf8");

test("a mail goes to sendmail with its headers, its text encoded", async () => {
	await withMailer(async ({ send }) => {
		const { status, sent, result } = await send({ to: "ann@example.com, bob@example.com", subject: "Hello", body: "<b>hi</b>\n.\n" });
		assert.equal(status, "succeeded", JSON.stringify(result));
		assert.equal(sent?.args, "-i -t");
		assert.deepEqual(sent?.headers, [
			"To: ann@example.com, bob@example.com",
			"From: svc",
			"Subject: Hello",
			"MIME-Version: 1.0",
			"Content-Type: text/html; charset=UTF-8",
			"Content-Transfer-Encoding: base64",
		]);
		assert.equal(decode(sent?.mail.split("\n\n")[1] ?? ""), "<b>hi</b>\n.\n");
		const foreign = await send({ subject: "Grüße 日本", body: "ü", from: "ops@example.com", content_type: "text/plain" });
		assert.deepEqual(foreign.sent?.headers.slice(1, 3), [
			"From: ops@example.com",
			`Subject: =?UTF-8?B?${btoa(String.fromCharCode(...Buffer.from("Grüße 日本")))}?=`,
		]);
	});
});

test("no value becomes a command, an option or a header", async () => {
	await withMailer(async ({ send, directory }) => {
		const marker = join(directory, "marker");
		for (const value of [
			`$(touch ${marker})`,
			`\`touch ${marker}\``,
			`'; touch ${marker}; '`,
			`"; touch ${marker}; "`,
			`| touch ${marker}`,
			"-oQ/tmp",
			"%s %n",
			"\\",
			"{{ '{{' }} x }}",
		]) {
			const { status, sent, result } = await send({ to: value, subject: value, body: value, from: value, content_type: value });
			assert.equal(status, "succeeded", `${value}: ${JSON.stringify(result)}`);
			const expected = value.startsWith("{{") ? "{{ x }}" : value;
			assert.ok(sent?.headers.includes(`Subject: ${expected}`), value);
			assert.equal(decode(sent?.mail.split("\n\n")[1] ?? ""), expected);
			await assert.rejects(readFile(marker), value);
		}
		for (const name of ["to", "subject", "from", "content_type"]) {
			for (const value of ["a\nBcc: eve@example.com", "a\r\nBcc: eve@example.com", "a\n", "a\rb"]) {
				const { status, sent, result } = await send({ [name]: value });
				assert.deepEqual([status, sent], ["failed", undefined], `${name}: ${JSON.stringify(value)} ${sent?.mail}`);
				assert.match(String(result?.["stderr"]), /must be a single line/);
			}
		}
	});
});

test("files are attached, several at once, and one that cannot be read sends nothing", async () => {
	await withMailer(async ({ send, directory }) => {
		const [first, second] = [join(directory, 'a "b".txt'), join(directory, "data.bin")];
		await writeFile(first, "first");
		await writeFile(second, Buffer.from([0, 255, 10]));
		const { status, sent, result } = await send({ attachments: `${first}, ${second}` });
		assert.equal(status, "succeeded", JSON.stringify(result));
		const boundary = /boundary="([0-9a-f]{32})"/.exec(sent?.mail ?? "")?.[1] ?? "none";
		const parts = sent?.mail.split(`--${boundary}`) ?? [];
		assert.equal(parts.length, 5);
		assert.match(parts[2] ?? "", /filename="a _b_.txt"\n\nZmlyc3Q=\n$/);
		assert.match(parts[3] ?? "", /filename="data.bin"\n\nAP8K\n$/);
		assert.equal(parts[4], "--\n");
		const missing = await send({ attachments: `${first},/nothing/here` });
		assert.deepEqual([missing.status, missing.sent], ["failed", undefined]);
		assert.match(String(missing.result?.["stderr"]), /attachment "\/nothing\/here" is no file/);
	});
});

test("an empty text is sent unless that is switched off", async () => {
	await withMailer(async ({ send }) => {
		assert.ok((await send({ body: "" })).sent !== undefined);
		const { status, sent, result } = await send({ body: "", send_empty_body: false });
		assert.deepEqual([status, sent, result?.["stdout"]], ["succeeded", undefined, "the body is empty: nothing was sent"]);
	});
});

test("the end of sendmail is the end of the action", async () => {
	await withMailer(async ({ send }) => {
		assert.equal((await send({ sendmail_binary: "/bin/false" })).status, "failed");
		assert.equal((await send({ sendmail_binary: "/nothing/here" })).status, "failed");
	});
});

test.run();
