import type { EntityKind, Storage } from "../../../contract/index.ts";
import type { PackKind } from "../pack-files-api.ts";
import { isKept } from "../switch/pack-draft.ts";
import type { PackVersion } from "./chosen-packs.ts";
import type { RegistrationReport, RemoveRecord } from "./registration-report.ts";

interface OwnRecord {
	readonly ref: string;
	readonly metadata_file: string | null;
}

/** What has come from files of packs that no longer say it. What a file said that cannot be used now stays as it was. */
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

/** Everything of packs but their own records, wherever it has come from. */
export async function removeResources(storage: Storage, report: RegistrationReport, packs: readonly string[]): Promise<void> {
	for (const pack of packs) {
		for (const [kind, remove] of removalsOf(storage, report)) {
			for (const { ref, metadata_file: file } of await findRecords(storage, kind, pack)) {
				// Sensors of the configuration belong to no pack, whatever they are called.
				if (kind !== "sensor" || file !== null) await remove(ref);
			}
		}
	}
}

/** Triggers of packs that no rule needs, once their types have gone. */
export async function removeUnusedTriggers(storage: Storage, packs: readonly string[]): Promise<void> {
	for (const { id, ref } of await storage.find("trigger", { where: { pack: { in: packs } } })) {
		if ((await storage.count("rule", { trigger: ref })) === 0) await storage.remove("trigger", { where: { id } });
	}
}

/** What needs something goes before it: in the reverse of the order in which they were registered. */
function removalsOf(storage: Storage, { removals }: RegistrationReport): readonly (readonly [PackKind, RemoveRecord])[] {
	const removeAction: RemoveRecord = async (ref) => {
		await storage.remove("action", { where: { ref } });
	};
	return [...[...removals].reverse(), ["action", removeAction]];
}

async function findRecords(storage: Storage, kind: PackKind, pack: string): Promise<readonly OwnRecord[]> {
	if (!isKept(kind)) return [];
	return (await storage.find(kind as EntityKind, { where: { pack } as object })) as unknown as readonly OwnRecord[];
}
