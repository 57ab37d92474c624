import { type JsonObject, type JsonValue, type PackEntity, stringifyJson } from "../../../contract/index.ts";
import { isSelected, type Selection } from "../../../http/field-selection.ts";
import { deleteNullMembers, type WireRecord } from "../../../http/wire-record.ts";
import type { FollowedPackState } from "../followed-pack-guard-exports.ts";

/** Manifest members that the record contains under the same name. */
export const manifestMembers = ["keywords", "svc_version", "python_versions", "email", "contributors", "dependencies"] as const;
/** Record members that the service sets, even if the manifest contains them. */
export const ownMembers = [
	"id",
	"uid",
	"ref",
	"name",
	"description",
	"version",
	"author",
	"files",
	"path",
	"system",
	"content",
	"source",
	"installation",
	"followed",
] as const;

/** Maximum total characters of JSON in unknown manifest members. */
const maxUnknown = 100_000;

const known: ReadonlySet<string> = new Set([...ownMembers, ...manifestMembers]);
const lists: ReadonlySet<string> = new Set(["keywords", "python_versions", "contributors", "dependencies"]);

const ofMember: ReadonlyMap<string, readonly (keyof PackEntity)[]> = new Map<string, readonly (keyof PackEntity)[]>([
	["uid", ["ref"]],
	["system", []],
	["followed", ["ref"]],
	...manifestMembers.map((name) => [name, ["metadata"]] as const),
]);

/** Returns the stored fields needed for the selected members of a pack record, without internal fields such as earlier installations. */
export function toPackFields(selection: Selection | undefined): readonly (keyof PackEntity)[] {
	const members = [...ownMembers, ...manifestMembers].filter((member) => isSelected(selection, member));
	const fields = members.flatMap((member) => ofMember.get(member) ?? [member as keyof PackEntity]);
	// Unknown members cannot be excluded by name, so everything but an `include` selection needs `metadata`.
	return selection?.kind === "include" ? fields : [...fields, "metadata"];
}

/** Returns the wire form of a pack. If the service follows the pack in git, `followed` contains its state. */
export function toPackRecord(pack: PackEntity, followed: readonly FollowedPackState[]): WireRecord {
	// `metadata` is absent if no selected member needs it.
	const { metadata = {} }: { readonly metadata?: JsonObject } = pack;
	return deleteNullMembers({
		...toUnknown(metadata),
		id: pack.id,
		uid: `pack:${pack.ref}`,
		ref: pack.ref,
		name: pack.name,
		description: pack.description,
		version: pack.version,
		author: pack.author,
		...Object.fromEntries(manifestMembers.map((name) => [name, toMember(name, metadata[name])])),
		files: pack.files ?? [],
		path: pack.path,
		system: {},
		content: pack.content,
		source: pack.source,
		installation: pack.installation,
		followed: toFollowed(followed.find(({ pack: ref }) => ref === pack.ref)),
	});
}

function toFollowed(followed: FollowedPackState | undefined): JsonObject | null {
	if (followed === undefined) return null;
	const { source, state, commit, reason, checked_at } = followed;
	return { source, state, commit, reason, checked_at };
}

/** Drops values of the wrong type, which dialects or older versions may have accepted. */
function toMember(name: string, value: JsonValue | undefined): JsonValue | undefined {
	if (lists.has(name)) return Array.isArray(value) ? value : [];
	return typeof value === "string" ? value : undefined;
}

/** Returns the members of the manifest that the service does not know, up to a total size. */
function toUnknown(metadata: JsonObject): JsonObject {
	let rest = maxUnknown;
	const kept: [string, JsonValue][] = [];
	for (const [name, value] of Object.entries(metadata)) {
		// `__proto__` would change the prototype of an object to which a client copies the members.
		if (known.has(name) || name === "__proto__") continue;
		rest -= name.length + stringifyJson(value).length;
		if (rest < 0) break;
		kept.push([name, value]);
	}
	return Object.fromEntries(kept);
}
