import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Engine } from "../../../kernel/engine-api.ts";
import type { CoreFeatures } from "../../index.ts";
import type { PackContents } from "../content/pack-contents.ts";
import type { PackVersion } from "../registration/chosen-packs.ts";
import type { SwitchOptions, SwitchOutcome } from "./pack-activation.ts";

export type Files = Readonly<Record<string, string>>;

/** What every pack of a test has. */
export function manifest(ref: string, version = "1.0.0"): string {
	return `ref: ${ref}\nname: ${ref}\ndescription: d\nversion: ${version}\nauthor: Ann\n`;
}

export async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-switch-"));
	try {
		await use(directory);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

export async function writeFiles(directory: string, files: Files): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const path = join(directory, name);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
}

export function packsOf(engine: Engine) {
	return (engine.features as unknown as CoreFeatures).packs;
}

/** Keep files as the content of a pack, as an installation does before it switches. */
export async function keepVersion(engine: Engine, pack: string, files: Files): Promise<PackVersion> {
	const contents = packsOf(engine).packContent as PackContents;
	let content = "";
	await withDirectory(async (directory) => {
		await writeFiles(directory, { "pack.yaml": manifest(pack), ...files });
		content = await contents.store(directory, { pack, signal: new AbortController().signal });
	});
	const directory = await contents.directory(pack, content);
	return { pack, directory, content, source: { address: "test" }, installation: null, earlier: [] };
}

/** Install a pack without fetching it. */
export async function install(engine: Engine, pack: string, files: Files, options?: SwitchOptions): Promise<SwitchOutcome> {
	return packsOf(engine).switch.apply([await keepVersion(engine, pack, files)], options);
}
