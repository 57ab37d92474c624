import { type FollowedPackEntity, type JsonObject, type JsonValue, type PackEntity, stringifyJson } from "../../../contract/index.ts";
import { isSelected, type Selection } from "../../../http/field-selection.ts";
import { deleteNullMembers, type WireRecord } from "../../../http/wire-record.ts";

/** Members of a manifest that the record has under the same name. */
export const manifestMembers = ["keywords", "svc_version", "python_versions", "email", "contributors", "dependencies"] as const;
/** What the service says of a pack, whatever its manifest says. */
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

/** Characters of JSON that members may have which only the pack knows. */
const mostUnknown = 100_000;

const known: ReadonlySet<string> = new Set([...ownMembers, ...manifestMembers]);
const lists: ReadonlySet<string> = new Set(["keywords", "python_versions", "contributors", "dependencies"]);

const ofMember: ReadonlyMap<string, readonly (keyof PackEntity)[]> = new Map<string, readonly (keyof PackEntity)[]>([
	["uid", ["ref"]],
	["system", []],
	["followed", ["ref"]],
	...manifestMembers.map((name) => [name, ["metadata"]] as const),
]);

/** Fields of a pack that its record is made of as far as it is shown: not, among others, what was installed before. */
export function toPackFields(selection: Selection | undefined): readonly (keyof PackEntity)[] {
	const members = [...ownMembers, ...manifestMembers].filter((member) => isSelected(selection, member));
	const fields = members.flatMap((member) => ofMember.get(member) ?? [member as keyof PackEntity]);
	// Members that nobody here knows can be left out by no name.
	return selection?.kind === "include" ? fields : [...fields, "metadata"];
}

/** A pack on the wire, with how far the service has come that follows it, if it does. */
export function toPackRecord(pack: PackEntity, followed: readonly FollowedPackEntity[]): WireRecord {
	// Absent where nothing of it is shown.
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

function toFollowed(followed: FollowedPackEntity | undefined): JsonObject | null {
	if (followed === undefined) return null;
	const { source, state, commit, reason, checked_at } = followed;
	return { source, state, commit, reason, checked_at };
}

/** What has another type than it should is left out: dialects and older versions may have let it in. */
function toMember(name: string, value: JsonValue | undefined): JsonValue | undefined {
	if (lists.has(name)) return Array.isArray(value) ? value : [];
	return typeof value === "string" ? value : undefined;
}

/** Members that nobody here knows are kept, as far as they are no burden. */
function toUnknown(metadata: JsonObject): JsonObject {
	let rest = mostUnknown;
	const kept: [string, JsonValue][] = [];
	for (const [name, value] of Object.entries(metadata)) {
		// Whoever copies the record member by member must not be given this one.
		if (known.has(name) || name === "__proto__") continue;
		rest -= name.length + stringifyJson(value).length;
		if (rest < 0) break;
		kept.push([name, value]);
	}
	return Object.fromEntries(kept);
}
