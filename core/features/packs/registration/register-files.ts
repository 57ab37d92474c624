import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSvcError, SvcError, toErrorMessage } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../../kernel/basics/permission-types.ts";
import { EventLoopYield } from "../../../lib/event-loop.ts";
import type { PackFiles } from "../pack-files-api.ts";
import type { PackDirectory } from "../packs-api.ts";
import { readYamlObject } from "../reading/read-yaml.ts";
import type { PackOverrides } from "./overrides.ts";
import type { RegistrationReport } from "./registration-report.ts";

export interface RegisterFilesOptions extends Uses<"dialects"> {
	readonly packs: readonly PackDirectory[];
	readonly report: RegistrationReport;
	readonly overrides: PackOverrides;
	/** Whether other nodes may make the same records at this moment. Otherwise a conflict is a problem of the file. */
	readonly isShared: boolean;
	/** Asked for what records concern outside of their pack. */
	readonly assertPermitted: AssertPermitted;
}

interface Found<Input> {
	readonly path: string;
	/** Path in the pack. */
	readonly file: string;
	readonly ref: string;
	readonly pack: PackDirectory;
	readonly isOverridden: boolean;
	readonly input: Input;
}

/** Make the records of a kind say what the files of packs say. Each bad file is told of, and the others go on. */
export async function registerFiles<Input extends { readonly name: string }>(
	parts: RegisterFilesOptions,
	files: PackFiles<Input>,
): Promise<void> {
	const { report, isShared, assertPermitted } = parts;
	const breath = new EventLoopYield();
	for (const { path, file, ref, pack, isOverridden, input } of await readFiles(parts, files)) {
		try {
			await files.register(input, { pack, isOverridden, assertPermitted });
			report.registered(files.kind, ref, file);
			if (isOverridden) report.overrode(files.kind);
			for (const type of files.triggerTypes?.(input) ?? []) report.registered("trigger_type", type, file);
		} catch (error) {
			// The start is tried again then; and another node that starts at the same time has made the same record.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			if (isSvcError(error, "SVC_FORBIDDEN"))
				throw new SvcError(error.code, `pack "${pack.ref}": ${file}: ${error.message}`, { cause: error });
			if (!(isShared && isSvcError(error, "SVC_CONFLICT"))) report.skip({ file: path, message: toErrorMessage(error) });
		}
		await breath.yieldIfDue();
	}
}

/** All of them before the first is registered: what is wrong with files is known where the storage refuses one, too. */
async function readFiles<Input extends { readonly name: string }>(
	{ packs, report, dialects, overrides }: RegisterFilesOptions,
	{ kind, folder, toInput }: PackFiles<Input>,
): Promise<readonly Found<Input>[]> {
	const found = new Map<string, Found<Input>>();
	for (const pack of packs) {
		for (const name of await listFiles(join(pack.path, folder))) {
			const path = join(pack.path, folder, name);
			const file = `${folder}/${name}`;
			try {
				const metadata = dialects.translate(kind, await readYamlObject(path));
				const said = toInput(metadata, { pack: pack.ref, file });
				const enabled = await overrides.enabled(kind, pack.ref, said.name);
				const input = enabled === undefined ? said : { ...said, enabled };
				const ref = `${pack.ref}.${input.name}`;
				const other = found.get(ref);
				if (other === undefined) found.set(ref, { path, file, ref, pack, isOverridden: enabled !== undefined, input });
				else report.skip({ file: path, message: `attribute "name" must be unique in the pack; ${other.file} has "${input.name}" too` });
			} catch (error) {
				report.skip({ file: path, message: toErrorMessage(error) });
			}
		}
	}
	return [...found.values()];
}

/** Files with metadata in a folder of a pack, by name; none when there is no such folder. */
async function listFiles(directory: string): Promise<string[]> {
	const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		throw error;
	});
	const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
	return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
}
