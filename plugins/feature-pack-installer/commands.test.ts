import { packInstaller } from "./index.ts";
import "../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { suite } from "uvu";
import { parse } from "yaml";
import { manifest } from "../../core/features/packs/activation/pack-activation.test-support.ts";
import { removeTree } from "../../core/features/packs/content/content-directory.ts";
import { createService, defineConfig } from "../../core/index.ts";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { localScript } from "../../plugins-runner/local-script/index.ts";
import { runSvc } from "../_shipped/run-svc.ts";
import { memoryBus } from "../event-bus-memory/index.ts";
import { memoryStorage } from "../storage-memory/index.ts";
import type { PackLockEntry } from "./client.ts";
import { SourceBench } from "./sources/pack-fetcher.test-support.ts";

/** A service without packs, the command for it, and repositories. */
class Site {
	readonly bench = new SourceBench();
	readonly #home = mkdtempSync(join(tmpdir(), "svc-cli-install-"));
	readonly #service = createService(
		defineConfig({
			features: [packInstaller()],
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localScript()],
			data_dir: join(this.#home, "data"),
			auth: { enable: false, port: 0 },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
	);
	#env: Record<string, string> = {};

	async start(): Promise<this> {
		const { api, stream } = (await this.#service.start()).addresses;
		this.#env = { HOME: this.#home, SVC_API_URL: api ?? "", SVC_STREAM_URL: stream ?? "" };
		return this;
	}

	/** Have the repository hold a version of the pack; what is written to ask for it. */
	commit(version: string, files: Readonly<Record<string, string>> = {}): string {
		const all = {
			"pack.yaml": manifest("disk", version),
			"actions/tell.yaml": "name: tell\nrunner_type: local-shell-script\nentry_point: tell.sh\n",
			"actions/tell.sh": `#!/bin/sh\necho ${version}\n`,
			...files,
		};
		for (const [path, text] of Object.entries(all)) this.bench.write(`disk/${path}`, text, path.endsWith(".sh") ? 0o755 : 0o644);
		this.bench.commit("disk", version);
		return `file://${this.bench.root}/disk/.git`.replaceAll(" ", "%20");
	}

	/** A file of this place. */
	file(name: string): string {
		return join(this.#home, name);
	}

	async svc(...words: readonly string[]) {
		const [stdout, stderr] = [new CapturedText(), new CapturedText()];
		const streams = { stdout, stderr, stdin: Readable.from([""]) };
		const exitCode = await runSvc(words, { ...streams, env: this.#env, onInterrupt: () => () => {} });
		return { exitCode, stdout: stdout.text, stderr: stderr.text };
	}

	/** What the action of the pack prints. */
	async told(): Promise<string> {
		return (await this.svc("run", "disk.tell")).stdout;
	}

	async stop(): Promise<void> {
		await this.#service.stop();
		this.bench.remove();
		await removeTree(join(this.#home, "data"));
		rmSync(this.#home, { recursive: true, force: true });
	}
}

const test = suite<{ site: Site }>("svc pack", { site: undefined as never });

test.before.each(async (context) => {
	context.site = await new Site().start();
});
test.after.each(({ site }) => site.stop());

test("a pack is installed from a repository, told of, and removed, and each job ends with one line about how", async ({ site }) => {
	const address = site.commit("1.0.0");
	const installed = await site.svc("pack", "install", address);
	assert.equal(installed.exitCode, 0, installed.stderr);
	assert.match(installed.stdout, /^fetch file:[^]*\nswitch to disk 1\.0\.0\ninstalled: disk 1\.0\.0\n$/);
	assert.match(
		installed.stderr,
		/^(execution [0-9a-f]{24} (requested|scheduled|running)\n)?execution [0-9a-f]{24} succeeded in [\d.]+ s\n$/,
	);
	assert.match((await site.svc("pack", "list")).stdout, /^disk .*1\.0\.0/m);
	assert.equal(await site.told(), "1.0.0\n");
	const again = await site.svc("pack", "install", address);
	assert.match(again.stdout, /disk 1\.0\.0 is installed already: nothing to do\n$/);
	const { exitCode, stdout } = await site.svc("pack", "uninstall", "disk");
	assert.equal(exitCode, 0, stdout);
	assert.doesNotMatch((await site.svc("pack", "list")).stdout, /\| disk /);
	assert.notEqual((await site.svc("run", "disk.tell")).exitCode, 0);
});

test("what is newer is shown and installed, and there is a way back", async ({ site }) => {
	await site.svc("pack", "install", site.commit("1.0.0"));
	assert.deepEqual(JSON.parse((await site.svc("pack", "outdated", "-j")).stdout), []);
	site.commit("2.0.0");
	const [newer] = JSON.parse((await site.svc("pack", "outdated", "-j")).stdout);
	assert.deepEqual([newer.ref, newer.version, newer.outdated], ["disk", "1.0.0", true]);
	const upgraded = await site.svc("pack", "upgrade", "disk");
	assert.equal(upgraded.exitCode, 0, upgraded.stderr);
	assert.equal(await site.told(), "2.0.0\n");
	const back = await site.svc("pack", "rollback", "disk");
	assert.equal(back.exitCode, 0, back.stderr);
	assert.equal(await site.told(), "1.0.0\n");
	assert.equal((await site.svc("pack", "rollback", "disk", "2.0.0")).exitCode, 0);
	assert.equal(await site.told(), "2.0.0\n");
	const nowhere = await site.svc("pack", "rollback", "disk", "3.0.0");
	assert.equal(nowhere.exitCode, 1);
	assert.match(nowhere.stderr, /failed in [\d.]+ s: .*3\.0\.0/);
});

test("a lock file brings exactly what it names, whatever is there by now, and nothing that has another hash", async ({ site }) => {
	const address = site.commit("1.0.0");
	await site.svc("pack", "install", address);
	const file = site.file("svc-packs.lock");
	const written = await site.svc("pack", "lock", file);
	assert.equal(written.stderr, `1 pack written to ${file}\n`);
	const text = readFileSync(file, "utf8");
	const [{ content }] = parse(text).packs as readonly [PackLockEntry];
	site.commit("2.0.0");
	await site.svc("pack", "upgrade", "--all");
	assert.equal(await site.told(), "2.0.0\n");
	const locked = await site.svc("pack", "install", "--locked", file);
	assert.equal(locked.exitCode, 0, locked.stderr);
	assert.equal(await site.told(), "1.0.0\n");
	assert.equal(JSON.parse((await site.svc("pack", "get", "disk", "-j")).stdout).content, content);
	writeFileSync(file, text.replace(content, "f".repeat(64)));
	const other = await site.svc("pack", "install", "--locked", file);
	assert.equal(other.exitCode, 1);
	assert.match(other.stderr, /pack "disk" has files that differ from the lock file: [0-9a-f]{64} instead of f{64}\n$/);
	assert.equal(await site.told(), "1.0.0\n");
	assert.equal((await site.svc("pack", "install", "--locked", file, address)).exitCode, 2);
	writeFileSync(file, "lock_version: 2\npacks: []\n");
	assert.match((await site.svc("pack", "install", "--locked", file)).stderr, /lock_version must be 1/);
});

test("an upgrade whose rule does not compile is refused with its file, and the old version goes on", async ({ site }) => {
	await site.svc("pack", "install", site.commit("1.0.0"));
	const rule = (pattern: string) =>
		`name: watch\nenabled: true\ntrigger: {type: core.svc.webhook, parameters: {url: disk}}\ncriteria:\n  trigger.body.path: {type: equals, pattern: '${pattern}'}\naction: {ref: disk.tell}\n`;
	site.commit("2.0.0", { "rules/watch.yaml": rule("{{ trigger.body. }}") });
	const refused = await site.svc("pack", "upgrade", "disk");
	assert.equal(refused.exitCode, 1);
	assert.match(
		refused.stderr,
		/failed in [\d.]+ s: .*rules\/watch\.yaml:5: must be a valid template: .*\(criteria\.trigger\.body\.path\.pattern\)/,
	);
	assert.equal(await site.told(), "1.0.0\n");
	assert.equal(JSON.parse((await site.svc("pack", "get", "disk", "-j")).stdout).version, "1.0.0");
	assert.deepEqual(JSON.parse((await site.svc("rule", "list", "-j")).stdout), []);
	site.commit("2.0.1", { "rules/watch.yaml": rule("{{ trigger.body.path }}") });
	assert.equal((await site.svc("pack", "upgrade", "disk")).exitCode, 0);
	assert.equal(await site.told(), "2.0.1\n");
	assert.match((await site.svc("rule", "list")).stdout, /disk\.watch/);
});

test("what cannot be asked for is refused before a job begins", async ({ site }) => {
	for (const words of [["install"], ["upgrade"], ["upgrade", "disk", "--all"], ["install", "--locked", site.file("none")]])
		assert.equal((await site.svc("pack", ...words)).exitCode, 2, words.join(" "));
	assert.notEqual((await site.svc("pack", "install", "ext::sh -c id")).exitCode, 0);
	assert.deepEqual(JSON.parse((await site.svc("execution", "list", "-j")).stdout), []);
});

test.run();
