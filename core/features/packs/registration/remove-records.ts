import type { EntityKind, Storage } from "../../../contract/index.ts";
import { isDefinedKind } from "../named-actions-exports.ts";
import type { PackKind } from "../pack-files-exports.ts";
import type { PackVersion } from "./chosen-packs.ts";
import type { RegistrationReport, RemoveRecord } from "./registration-report.ts";

interface OwnRecord {
	readonly ref: string;
	readonly metadata_file: string | null;
}

/** Removes records that the files of their packs no longer describe. Records of a file that is now invalid stay unchanged. */
export async function removeGone(
	storage: Storage,
	report: RegistrationReport,
	versions: readonly Pick<PackVersion, "pack" | "directory">[],
): Promise<void> {
	const broken = new Set(report.problems.map(({ file }) => file));
	for (const { pack, directory } of versions) {
		for (const [kind, remove] of removalsOf(storage, report)) {
			for (const { ref, metadata_file: file } of await findRecords(storage, kind, pack)) {
				if (file === null || report.fileOf(kind, ref) !== undefined || broken.has(`${directory}/${file}`)) continue;
				await remove(ref);
			}
		}
	}
}

/** Removes all records in packs, whether created from files or through the API. The records of the packs themselves stay. */
export async function removeResources(storage: Storage, report: RegistrationReport, packs: readonly string[]): Promise<void> {
	for (const pack of packs) {
		for (const [kind, remove] of removalsOf(storage, report)) {
			for (const { ref, metadata_file: file } of await findRecords(storage, kind, pack)) {
				// Sensors of the configuration belong to no pack, even if their ref begins with its name.
				if (kind !== "sensor" || file !== null) await remove(ref);
			}
		}
	}
}

/** Removes triggers of packs that no rule uses. Call it after removing their trigger types. */
export async function removeUnusedTriggers(storage: Storage, packs: readonly string[]): Promise<void> {
	for (const { id, ref } of await storage.find("trigger", { where: { pack: { in: packs } } })) {
		if ((await storage.count("rule", { trigger: ref })) === 0) await storage.remove("trigger", { where: { id } });
	}
}

/** Returns the removal functions in reverse order of registration, so that dependent records are removed first. */
function removalsOf(storage: Storage, { removals }: RegistrationReport): readonly (readonly [PackKind, RemoveRecord])[] {
	const removeAction: RemoveRecord = async (ref) => {
		await storage.remove("action", { where: { ref } });
	};
	return [...[...removals].reverse(), ["action", removeAction]];
}

async function findRecords(storage: Storage, kind: PackKind, pack: string): Promise<readonly OwnRecord[]> {
	if (!isDefinedKind(kind)) return [];
	return (await storage.find(kind as EntityKind, { where: { pack } as object })) as unknown as readonly OwnRecord[];
}
