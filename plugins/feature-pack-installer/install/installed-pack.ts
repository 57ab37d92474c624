import { type JsonObject, type PackEntity, SvcError } from "../../../core/contract/index.ts";

/** Refs of packs that are part of the service. */
const systemPacks: ReadonlySet<string> = new Set(["core", "packs", "default", "chatops"]);

/** Maximum number of earlier versions that a pack keeps. */
const keptEarlier = 5;

/**
 * Throws `SVC_INVALID` if no pack may be installed under the ref: it belongs to the service, or its pack comes from a configured directory.
 */
export function assertInstallable(ref: string, known: Pick<PackEntity, "path"> | undefined): void {
	if (systemPacks.has(ref)) throw new SvcError("SVC_INVALID", `pack "${ref}" is built in and cannot be installed or removed`);
	if (known !== undefined && known.path !== null)
		throw new SvcError("SVC_INVALID", `pack "${ref}" is loaded from a directory listed in "packs"; change it there: ${known.path}`);
}

/**
 * Returns the earlier versions of a pack after `content` is installed, the latest first. Installing the current files again keeps the list
 * as it is.
 */
export function toEarlier(known: PackEntity | undefined, content: string): readonly JsonObject[] {
	if (known === undefined || known.content === null) return [];
	const earlier = known.earlier ?? [];
	if (known.content === content) return earlier;
	const last = { content: known.content, version: known.version, source: known.source, installation: known.installation };
	return [last, ...earlier.filter((one) => one["content"] !== content)].slice(0, keptEarlier);
}
