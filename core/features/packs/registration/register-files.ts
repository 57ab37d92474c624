import { join } from "node:path";
import { isSvcError, SvcError, toErrorMessage } from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../../kernel/basics/permission-types.ts";
import { EventLoopYield } from "../../../lib/event-loop.ts";
import type { PackFileKind } from "../pack-files-exports.ts";
import type { PackDirectory } from "../packs-exports.ts";
import { listMetadataFiles } from "../reading/list-pack-files.ts";
import { readYamlObject } from "../reading/read-yaml.ts";
import type { PackOverrides } from "./overrides.ts";
import type { RegistrationReport } from "./registration-report.ts";

export interface RegisterFilesDependencies extends Uses<"dialects"> {
	readonly packs: readonly PackDirectory[];
	readonly report: RegistrationReport;
	readonly overrides: PackOverrides;
	/** True if other nodes may create the same records concurrently. If false, a conflict is a problem of the file. */
	readonly isShared: boolean;
	/** Checks permissions on content of other packs that a record refers to. */
	readonly assertPermitted: AssertPermitted;
}

interface Found<Input> {
	readonly path: string;
	/** Path relative to the pack. */
	readonly file: string;
	readonly ref: string;
	readonly pack: PackDirectory;
	readonly isOverridden: boolean;
	readonly input: Input;
}

/** Updates the records of a kind to match the files of packs. Invalid files are reported, and the others are still registered. */
export async function registerFiles<Input extends { readonly name: string }>(
	parts: RegisterFilesDependencies,
	files: PackFileKind<Input>,
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
			// `SVC_UNAVAILABLE` makes the caller retry the start. If `isShared` is true, `SVC_CONFLICT` means that another node has created the
			// record.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			if (isSvcError(error, "SVC_FORBIDDEN"))
				throw new SvcError(error.code, `pack "${pack.ref}": ${file}: ${error.message}`, { cause: error });
			if (!(isShared && isSvcError(error, "SVC_CONFLICT"))) report.skip({ file: path, message: toErrorMessage(error) });
		}
		await breath.yieldIfDue();
	}
}

/** Reads all files before the first is registered, so that all invalid files are reported even if the storage rejects a record. */
async function readFiles<Input extends { readonly name: string }>(
	{ packs, report, dialects, overrides }: RegisterFilesDependencies,
	{ kind, folder, toInput }: PackFileKind<Input>,
): Promise<readonly Found<Input>[]> {
	const found = new Map<string, Found<Input>>();
	for (const pack of packs) {
		for (const name of await listMetadataFiles(join(pack.path, folder))) {
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
				else report.skip({ file: path, message: `attribute "name" must be unique in the pack; ${other.file} also has "${input.name}"` });
			} catch (error) {
				report.skip({ file: path, message: toErrorMessage(error) });
			}
		}
	}
	return [...found.values()];
}
