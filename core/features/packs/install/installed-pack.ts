import { type JsonObject, type PackEntity, SvcError } from "../../../contract/index.ts";

/** Packs that belong to the service. */
const systemPacks: ReadonlySet<string> = new Set(["core", "packs", "default", "chatops"]);

/** How many of what was installed before are kept. */
const keptEarlier = 5;

/** `SVC_INVALID` where nothing may be installed under a ref. */
export function assertInstallable(ref: string, known: Pick<PackEntity, "path"> | undefined): void {
	if (systemPacks.has(ref)) throw new SvcError("SVC_INVALID", `pack "${ref}" belongs to the service: it is not installed, and not removed`);
	if (known !== undefined && known.path !== null)
		throw new SvcError(
			"SVC_INVALID",
			`pack "${ref}" comes from a directory of the configuration (packs), and is changed there: ${known.path}`,
		);
}

/** What was installed before, the latest first, once something else is. Installing the same files again forgets nothing. */
export function toEarlier(known: PackEntity | undefined, content: string): readonly JsonObject[] {
	if (known === undefined || known.content === null) return [];
	const earlier = known.earlier ?? [];
	if (known.content === content) return earlier;
	const last = { content: known.content, version: known.version, source: known.source, installation: known.installation };
	return [last, ...earlier.filter((one) => one["content"] !== content)].slice(0, keptEarlier);
}
