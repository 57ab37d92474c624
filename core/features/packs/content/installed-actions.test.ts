import "../../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { localScript } from "../../../../plugins-runner/local-script/index.ts";
import type { PackEntity } from "../../../contract/index.ts";
import { getSystemClock } from "../../../kernel/basics/clock.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../../testing/http/service.test-support.ts";
import { silentLogger } from "../../../testing/run-context.ts";
import { nextId } from "../../../testing/storage/fixtures.ts";
import { notInstalled } from "../registration/not-installed.ts";
import { PackContents } from "./pack-contents.ts";

interface Subject extends ServiceUnderTest {
	/** Directory of the pack `site`, which is not installed. */
	readonly site: string;
	/** Make pack `disk` one whose script says a word. */
	install(word: string): Promise<string>;
	send(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: WireRecord; readonly text: string }>;
	/** What `disk.say` prints. */
	say(): Promise<unknown>;
}

async function withInstalled(use: (subject: Subject) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-installed-"));
	const site = join(directory, "packs", "site");
	mkdirSync(join(site, "actions"), { recursive: true });
	writeFileSync(join(site, "pack.yaml"), "name: site\ndescription: d\nversion: 1.0.0\nauthor: a\n");
	try {
		await withService(
			async (service) => {
				const send: Subject["send"] = async (method, path, body) => {
					const answer = await service.ask(`/v1${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
					const text = await answer.text();
					return { status: answer.status, text, body: text.startsWith("{") ? (JSON.parse(text) as WireRecord) : {} };
				};
				await use({
					...service,
					site,
					send,
					install: (word) => install(service, directory, word),
					async say() {
						const { body } = await send("POST", "/executions", { action: "disk.say" });
						await service.ended(String(body["id"]));
						const { body: ended } = await send("GET", `/executions/${String(body["id"])}`);
						return (ended["result"] as WireRecord)["stdout"];
					},
				});
			},
			{ runners: [localScript()], packs: [join(directory, "packs")] },
		);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

async function install({ storage: open }: ServiceUnderTest, directory: string, word: string): Promise<string> {
	const storage = open();
	const pack = join(directory, "disk");
	mkdirSync(join(pack, "actions"), { recursive: true });
	writeFileSync(join(pack, "actions", "say.sh"), `#!/bin/sh\necho ${word}\n`);
	chmodSync(join(pack, "actions", "say.sh"), 0o755);
	const limits = { size: 10_000_000, files: 100 };
	const parts = { storage, clock: getSystemClock(), logger: silentLogger, limits, root: join(directory, "elsewhere") };
	const content = await new PackContents(parts).store(pack, { pack: "disk", signal: new AbortController().signal });
	const text = { ref: "disk", name: "disk", description: "d", version: "1.0.0", author: "a" };
	const entity: PackEntity = { id: nextId(), ...text, path: null, metadata: {}, ...notInstalled, content };
	await storage.remove("pack", { where: { ref: "disk" } });
	await storage.insert("pack", [entity]);
	return content;
}

const action = { name: "say", pack: "disk", runner_type: "local-shell-script", entry_point: "say.sh" };

test("an action of an installed pack runs what the storage keeps, on a node that has never had the files", () =>
	withInstalled(async ({ install, send, say }) => {
		await install("one");
		assert.equal((await send("POST", "/actions", action)).status, 201);
		assert.equal(await say(), "one");
		assert.equal((await send("GET", "/actions/views/entry_point/disk.say")).text, "#!/bin/sh\necho one\n");
	}));

test("files of an installed pack are not changed over the API, and records are", () =>
	withInstalled(async ({ install, send, say, storage }) => {
		const content = await install("one");
		await send("POST", "/actions", action);
		const [stored] = await storage().find("action", { where: { ref: "disk.say" } });
		await storage().update("action", stored?.id ?? "", { content, metadata_file: "actions/say.yaml" });
		const told = 'pack "disk" is an installed pack: its files change only with its version';
		const data_files = [{ file_path: "say.sh", content: "#!/bin/sh\necho evil\n" }];
		for (const [method, path, body, field] of [
			["PUT", "/actions/disk.say", { ...action, data_files }, "data_files"],
			["POST", "/actions", { ...action, name: "new", data_files }, "data_files"],
			["DELETE", "/actions/disk.say", { remove_files: true }, "remove_files"],
			["POST", "/actions/disk.say/clone", { dest_pack: "disk", dest_action: "copy" }, "dest_pack"],
		] as const) {
			const answer = await send(method, path, body);
			assert.deepEqual([answer.status, answer.body["faultstring"]], [400, `${field}: ${told}`], method);
		}
		assert.equal(await say(), "one");
		assert.equal((await send("PUT", "/actions/disk.say", { ...action, description: "Says a word." })).status, 200);
		const [changed] = await storage().find("action", { where: { ref: "disk.say" } });
		assert.deepEqual([changed?.content, changed?.description], [content, "Says a word."], "it keeps the files that it came with");
		assert.equal((await send("POST", "/actions", { name: "plain", pack: "disk", runner_type: "local-shell-script" })).status, 201);
		assert.equal((await send("DELETE", "/actions/disk.say", {})).status, 204);
	}));

test("a copy of an installed action in a pack with a directory is somebody's own", () =>
	withInstalled(async ({ install, send, site }) => {
		await install("one");
		await send("POST", "/actions", action);
		assert.equal((await send("POST", "/actions/disk.say/clone", { dest_pack: "site", dest_action: "mine" })).status, 201);
		assert.deepEqual(readdirSync(join(site, "actions")).sort(), ["mine.sh", "mine.yaml"]);
		assert.equal(readFileSync(join(site, "actions/mine.sh"), "utf8"), "#!/bin/sh\necho one\n");
		assert.equal(statSync(join(site, "actions/mine.sh")).mode & 0o600, 0o600);
	}));

test.run();
