import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { defineAuthBackend, defineRunner, type RunContext, type RunResult, type Storage } from "../../contract/index.ts";
import { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door } from "../../testing/engine/shared-storage.test-support.ts";
import { createToken } from "../../testing/storage/fixtures.ts";
import { toMaskedText } from "../output/stored-chunk-queries.ts";

const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));
const pin = "a pin that is long";

/** Work outside the service, which prints the token that its run was given, and a secret parameter. */
class Work {
	printed = "";
	token = "";
	/** What whoever went on with it was given. */
	tokenAgain: string | undefined;
	hasEnded = false;

	async follow({ emit, captured, signal }: RunContext): Promise<RunResult> {
		for (;;) {
			const rest = Buffer.from(this.printed).subarray(captured("stdout").bytes).toString();
			if (rest !== "") await emit("stdout", rest);
			if (this.hasEnded) return { succeeded: true, result: { stdout: captured("stdout").text } };
			if (signal.aborted) return { succeeded: false, result: {}, status: "running" };
			await delay(2);
		}
	}
}

interface Resumed {
	readonly work: Work;
	readonly first: TestEngine & { readonly door: Door };
	readonly id: string;
	readonly storage: Storage;
	next(): Promise<TestEngine>;
	stored(): Promise<{ readonly text: string; readonly shown: string }>;
}

/** A run that has printed half of its token, on a node that others may go on for. */
async function withRun(use: (resumed: Resumed) => Promise<void>, { sharesKey = true } = {}): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-resumed-"));
	const shared = createSharedStorage();
	const work = new Work();
	const nodes: (TestEngine & { readonly door: Door })[] = [];
	const runner = defineRunner("outside", () => ({
		description: "Follows work outside the service.",
		capabilities: { streaming: true, recovery: true },
		parameters: { pin: { type: "string", secret: true } },
		async run(context) {
			work.token = String(context.environment["SVC_ACTION_AUTH_TOKEN"]);
			work.printed = `${pin} then ${work.token.slice(0, 16)}`;
			await context.saveState({ place: "outside" });
			return work.follow(context);
		},
		recover(context) {
			work.tokenAgain = context.environment["SVC_ACTION_AUTH_TOKEN"];
			return work.follow(context);
		},
	}))();
	const start = async () => {
		const door = shared.createDoor();
		const node = await startEngine({
			storage: door.plugin,
			eventBus: door.eventBus,
			runners: [runner],
			options: {
				scheduler: { lease: 0.2, poll_interval: 0.02 },
				log: { level: "error" },
				actionrunner: { exit_still_active_check: 1 },
				auth: { enable: true, backend: nobody() },
				...(sharesKey && { keyvalue: { encryption_key_path: join(directory, "key.json") } }),
			},
		});
		nodes.push({ ...node, door });
		return { ...node, door };
	};
	try {
		const first = await start();
		await first.engine.actions.create({ name: "outside", runner_type: "outside" });
		const { id } = await first.submit({ pin }, { action: "default.outside" });
		const stored = async () => {
			const chunks = await shared.storage.find("output_chunk", { where: { execution_id: id }, orderBy: [["sequence", "asc"]] });
			return { text: chunks.map(({ data }) => data).join(""), shown: chunks.map(toMaskedText).join("") };
		};
		while (!(await stored()).text.includes("then ")) await delay(2);
		await use({ work, first, id, next: start, stored, storage: shared.storage });
	} finally {
		for (const { door, stop } of nodes) {
			door.open();
			await stop();
		}
		await shared.release();
		await rm(directory, { recursive: true, force: true });
	}
}

test("another node that goes on with a run knows its token, half of which has been printed, until the run has ended", () =>
	withRun(async ({ work, first, id, next, stored }) => {
		assert.equal((await stored()).text, `${pin} then `);
		first.door.shut();
		const second = await next();
		work.printed = `${pin} then ${work.token} and ${pin}.`;
		work.hasEnded = true;
		const ended = await second.settled(id);
		assert.equal(ended.result?.["stdout"], `${pin} then ******** and ${pin}.`);
		assert.deepEqual(await stored(), {
			text: `${pin} then ${"*".repeat(work.token.length)} and ${pin}.`,
			shown: "******** then ******** and ********.",
		});
		assert.equal(ended.known_secrets, null);
		assert.equal(work.tokenAgain, work.token);
	}));

test("what an earlier version gave a run that another node goes on with ends with the run", () =>
	withRun(async ({ work, first, id, next, storage }) => {
		first.door.shut();
		const { liveaction_id } = (await storage.get("execution", id)) ?? { liveaction_id: "" };
		await storage.update("execution", id, { token_hash: null });
		await storage.insert("token", [createToken("the hash of its token", { id: liveaction_id, service: true })]);
		const second = await next();
		while ((await storage.get("execution", id))?.owner !== second.engine.nodeId) await delay(2);
		assert.equal(await storage.count("token", {}), 1);
		work.hasEnded = true;
		await second.settled(id);
		assert.equal(await storage.count("token", {}), 0);
	}));

test("a node that stops leaves no beginning of a secret in the open", () =>
	withRun(async ({ work, first, id, next, stored }) => {
		await first.engine.drain();
		assert.deepEqual((await stored()).shown, "******** then ********");
		work.printed = `${pin} then ${work.token}.`;
		work.hasEnded = true;
		await (await next()).settled(id);
		assert.match((await stored()).shown, /^\*{8} then \*{16}\.$/);
	}));

test("a node without the key masks everything of a run that it goes on with", () =>
	withRun(
		async ({ work, first, id, next, stored }) => {
			first.door.shut();
			const second = await next();
			work.printed += `${work.token.slice(16)} and more`;
			work.hasEnded = true;
			await second.settled(id);
			assert.match((await stored()).shown, /^\*{8} then \*{8}$/);
			const { secrets } = await second.engine.executions.get(id);
			assert.deepEqual(secrets.redactJson({ stdout: "anything", succeeded: true }), { stdout: "********", succeeded: true });
		},
		{ sharesKey: false },
	));

const open = { encryptText: (text: string) => `sealed ${text}`, decryptText: (sealed: string) => sealed.slice("sealed ".length) };
const closed = {
	encryptText(): string {
		throw new Error("no key");
	},
	decryptText: (): string => "no JSON",
};

test("what records know is joined, and nothing is kept where nothing is secret", () => {
	const sealed = new EncryptedSecrets(open);
	assert.equal(sealed.addValues(null, []), null);
	assert.equal(sealed.addValues(null, ["abc", "    "]), null);
	const one = sealed.addValues(null, ["one secret"]);
	assert.equal(sealed.addValues(one, ["one secret"]), one);
	const other = sealed.addValues(null, ["other secret"]);
	assert.deepEqual(sealed.decrypt(sealed.union(one, other)).values, ["one secret", "other secret"]);
	assert.equal(sealed.union(null, one), one);
	assert.equal(sealed.union(one, null), one);
	const withToken = sealed.addToken(one, new Redactor([], { token: "0".repeat(32) }));
	assert.equal(sealed.decrypt(withToken).token, "0".repeat(32));
	assert.equal(sealed.withoutToken(withToken), one);
});

test("what cannot be kept or read is unknown, wherever it goes", () => {
	const sealed = new EncryptedSecrets(closed);
	const kept = sealed.addValues(null, ["one secret"]);
	assert.ok(sealed.decrypt(kept).isUnknown);
	assert.ok(sealed.decrypt(sealed.union(kept, null)).isUnknown);
	assert.ok(new EncryptedSecrets(open).decrypt(new EncryptedSecrets(open).union("sealed {", kept)).isUnknown);
	assert.equal(sealed.addValues(null, []), null);
});

test.run();
