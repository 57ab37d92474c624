import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { SourceBench } from "../../../plugins/feature-pack-installer/sources/pack-fetcher.test-support.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { toErrorMessage } from "../../contract/index.ts";
import { manifest } from "../../features/packs/activation/pack-activation.test-support.ts";
import { createPluginContext } from "../plugin-context.ts";
import type { ServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const patience = 180;
/** Of each version; every second one has another name in the next. */
const actionCount = 60;
const ruleCount = 10;
/** Bytes of a file that makes the pack several pieces long. */
const payloadSize = 1_500_000;

/** A pack in a repository, each version of which says everywhere which one it is. */
export class VersionedPack {
	readonly #bench = new SourceBench();
	readonly #more: (version: number) => Readonly<Record<string, string>>;

	/** @param more files of a version besides those that each has */
	constructor(more: (version: number) => Readonly<Record<string, string>> = () => ({})) {
		this.#more = more;
	}

	/** What is written to ask for it. */
	get address(): string {
		return `file://${join(this.#bench.root, "disk/.git").replaceAll(" ", "%20")}`;
	}

	/** Have the repository hold this version. */
	commit(version: number): void {
		const files: Record<string, string> = {
			...this.#more(version),
			"pack.yaml": manifest("disk", `${version}.0.0`),
			"actions/tell.sh": `#!/bin/sh\necho "${version} $(cat "$(dirname "$0")/version.txt") $(wc -c < "$(dirname "$0")/../payload.txt")"\n`,
			"actions/tell.yaml": `name: tell\ndescription: of ${version}\nrunner_type: local-shell-script\nentry_point: tell.sh\n`,
			"actions/version.txt": `${version}`,
			"payload.txt": createHash("sha512")
				.update(`${version}`)
				.digest("hex")
				.repeat(Math.ceil(payloadSize / 128)),
		};
		for (const name of actionNames(version))
			files[`actions/${name}.yaml`] = `name: ${name}\ndescription: of ${version}\nrunner_type: noop\n`;
		for (const name of ruleNames(version))
			files[`rules/${name}.yaml`] =
				`name: ${name}\ndescription: of ${version}\nenabled: true\ntrigger: {type: core.svc.webhook, parameters: {url: disk/${version}/${name}}}\naction: {ref: disk.tell}\n`;
		this.#bench.run("mkdir", ["-p", "disk"]);
		this.#bench.run("find", ["disk", "-mindepth", "1", "-not", "-path", "disk/.git*", "-delete"]);
		for (const [path, text] of Object.entries(files)) this.#bench.write(`disk/${path}`, text, path.endsWith(".sh") ? 0o755 : 0o644);
		this.#bench.commit("disk", `${version}`);
	}

	remove(): void {
		this.#bench.remove();
	}
}

function actionNames(version: number): readonly string[] {
	return toNames(version, actionCount);
}

function ruleNames(version: number): readonly string[] {
	return toNames(version, ruleCount);
}

function toNames(version: number, count: number): readonly string[] {
	return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? `all_${index}` : `of_${version}_${index}`));
}

/** How an execution ended. */
export function ended({ client }: ServiceProcess, id: string): Promise<ExecutionRecord> {
	return until(`execution ${id} ends`, patience, async () => {
		const record = await client.executions.get(id);
		return ["succeeded", "failed", "timeout", "canceled", "abandoned"].includes(record.status) ? record : undefined;
	}).catch(async (error: unknown) => {
		const { status, action, parameters } = await client.executions.get(id);
		const told = JSON.stringify([status, action, parameters, await client.executions.output(id)]).slice(-2_000);
		throw new Error(`${toErrorMessage(error)}: ${told}`, { cause: error });
	});
}

/**
 * The version that is installed: every record, the files and what the action prints are of this one.
 *
 * @param more names of actions besides those that each version has
 */
export async function readWholeVersion(service: ServiceProcess, more: readonly string[] = []): Promise<number> {
	const { client } = service;
	const { version: installed, content, files } = await client.packs.get("disk");
	const version = Number.parseInt(installed, 10);
	assert.match(content ?? "", /^[0-9a-f]{64}$/);
	const { items: actions } = await client.actions.list({ pack: "disk", limit: -1 });
	const { items: rules } = await client.rules.list({ pack: "disk", limit: -1 });
	assertNames(actions, ["tell", ...more, ...actionNames(version)]);
	assertNames(rules, ruleNames(version));
	const told = [...actions, ...rules].map(({ description }) => description);
	assert.deepEqual([...new Set(told)], [`of ${version}`]);
	for (const name of actionNames(version)) assert.ok(files.includes(`actions/${name}.yaml`), name);
	const text = Buffer.from(await client.packs.file("disk", "actions/version.txt")).toString();
	assert.equal(text, `${version}`);
	const { status, result } = await ended(service, (await client.executions.create({ action: "disk.tell" })).id);
	assert.deepEqual([status, result?.["stdout"]], ["succeeded", `${version} ${version} ${Math.ceil(payloadSize / 128) * 128}`]);
	return version;
}

function assertNames(records: readonly { readonly name: string }[], expected: readonly string[]): void {
	const names = records.map(({ name }) => name);
	const missing = expected.filter((name) => !names.includes(name)).slice(0, 3);
	const strange = names.filter((name) => !expected.includes(name)).slice(0, 3);
	assert.deepEqual({ missing, strange }, { missing: [], strange: [] });
}

/** In the database of a service that is not there: whatever a record refers to is kept whole. How much is there that is not. */
export async function assertKeptWhole(data: string): Promise<number> {
	const storage = knexStorage({ client: "sqlite" }).create();
	await storage.start?.({ ...createPluginContext(), dataDirectory: data });
	try {
		const whole = new Set<string>();
		const contents = await storage.find("pack_content", {});
		for (const { id, complete, chunks } of contents) {
			if (!complete) continue;
			assert.equal(await storage.count("pack_content_chunk", { content: id }), chunks, `content ${id}`);
			whole.add(id);
		}
		const packs = await storage.find("pack", {});
		const earlier = packs.flatMap((pack) => (pack.earlier ?? []).map((old) => String(old["content"])));
		const actions = await storage.find("action", { where: { pack: "disk" } });
		const current = packs.find(({ ref }) => ref === "disk")?.content;
		for (const { ref, content } of actions) assert.equal(content, current, ref);
		for (const content of [...packs.flatMap((pack) => pack.content ?? []), ...earlier]) assert.ok(whole.has(content), content);
		return contents.length - whole.size;
	} finally {
		await storage.stop?.();
	}
}

/** What is laid out under the name of its content is all of it. How many directories are there that have no name yet. */
export async function assertLaidOutWhole(data: string): Promise<number> {
	const names = await readdir(join(data, "packs/disk")).catch(() => []);
	const unnamed = names.filter((name) => name.startsWith("."));
	for (const name of names.filter((known) => !unnamed.includes(known))) {
		const version = await readFile(join(data, "packs/disk", name, "actions/version.txt"), "utf8");
		const actions = await readdir(join(data, "packs/disk", name, "actions"));
		for (const action of actionNames(Number(version))) assert.ok(actions.includes(`${action}.yaml`), `${name}: ${action}`);
		const payload = await readFile(join(data, "packs/disk", name, "payload.txt"));
		assert.equal(payload.length, Math.ceil(payloadSize / 128) * 128);
	}
	return unnamed.length;
}

/** Folders of installations. */
export async function readStaging(data: string): Promise<readonly string[]> {
	return readdir(join(data, "pack-staging")).catch(() => []);
}
