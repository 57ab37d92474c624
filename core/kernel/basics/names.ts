import { hasControlCharacters, hasControlCharactersInLines } from "../../contract/control-characters.ts";
import { type JsonValue, SvcError } from "../../contract/index.ts";

/** Pattern of the names that a ref may contain. */
export const namePattern = /^[A-Za-z0-9_.-]{1,255}$/;
const packPattern = /^[a-z0-9_]{1,255}$/;

/** Packs whose content is part of the service. They cannot be changed. */
const systemPacks: ReadonlySet<string> = new Set(["core", "packs", "chatops"]);

/** Returns true if a ref may contain the name. Only ASCII letters are allowed, because letters of other scripts may look the same. */
export function isRefName(name: string): boolean {
	return namePattern.test(name);
}

/** Throws `SVC_INVALID` if a ref may not contain the pack or the name. */
export function assertRefNames({ pack, name }: { readonly pack: string; readonly name: string }): void {
	if (!packPattern.test(pack)) throw new SvcError("SVC_INVALID", `pack: "${pack}" must consist of a to z, 0 to 9 and _`);
	if (!isRefName(name)) throw new SvcError("SVC_INVALID", `name: "${name}" must consist of letters, digits, _, - and .`);
}

/**
 * Throws `SVC_INVALID` if a name contains control characters or characters that change the direction of writing, since it could look like
 * another name. Only for new names: records that an earlier version has stored under such a name stay usable.
 */
export function assertVisibleName(member: string, name: string): void {
	if (hasControlCharacters(name)) throw toUnseenError(member);
}

/**
 * Throws `SVC_INVALID` if a string or a member name anywhere in a value contains control characters or changes the direction of writing.
 * Strings may have several lines.
 */
export function assertNoHiddenCharacters(member: string, value: JsonValue | undefined): void {
	if (typeof value === "string" && hasControlCharactersInLines(value)) throw toUnseenError(member);
	if (typeof value !== "object" || value === null) return;
	for (const [name, inner] of Object.entries(value)) {
		assertVisibleName(member, name);
		assertNoHiddenCharacters(member, inner as JsonValue);
	}
}

function toUnseenError(member: string): SvcError {
	return new SvcError("SVC_INVALID", `${member}: control characters and characters that change the text direction are not allowed`);
}

/** Throws `SVC_INVALID` if a pack is a system pack, whose content cannot be changed. */
export function assertNotSystemPack(pack: string): void {
	if (systemPacks.has(pack)) {
		throw new SvcError("SVC_INVALID", `pack: resources of the system pack "${pack}" cannot be created, changed or deleted`);
	}
}

/** Maximum number of labels that a worker may have or a run may need. */
export const maxLabels = 32;
/** Pattern of one label, as a string for JSON schemas. */
export const labelPattern = "^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$";
const labelRegExp = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$/;

/** Returns the labels in a value, sorted and without duplicates. Throws `SVC_INVALID` if it is not a list of at most 32 valid labels. */
export function parseLabels(field: string, value: unknown): readonly string[] {
	if (!Array.isArray(value)) throw new SvcError("SVC_INVALID", `${field}: must be a list of labels`);
	for (const label of value) {
		if (typeof label === "string" && labelRegExp.test(label)) continue;
		throw new SvcError(
			"SVC_INVALID",
			`${field}: ${JSON.stringify(label)} is not a label; a label has 1 to 63 letters, digits and . _ : = - and begins with a letter or digit`,
		);
	}
	const labels = [...new Set(value as string[])].sort();
	if (labels.length > maxLabels) throw new SvcError("SVC_INVALID", `${field}: at most ${maxLabels} labels are allowed`);
	return labels;
}

/** Invisible characters, white space and accents. They are ignored when a name is compared with a reserved one. */
const ignorableCharacters = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\s]/gu;

/**
 * Returns true if a name is that of the system user, or differs from it only in case, accents, letter width, spaces or invisible
 * characters. The system user needs no permissions, so no user may sign in under a name that looks like it.
 */
export function isReservedName(name: string, systemUser: string): boolean {
	return fold(name) === fold(systemUser);
}

/** Throws `SVC_INVALID` if a name is reserved for the system user. */
export function assertNotReservedName(member: string, name: string, systemUser: string): void {
	if (!isReservedName(name, systemUser)) return;
	throw new SvcError("SVC_INVALID", `${member}: "${systemUser}" is reserved for the system user (system_user.user); choose another name`);
}

/** Returns a name in the form in which reserved names are compared. */
function fold(name: string): string {
	return name.normalize("NFKD").replace(ignorableCharacters, "").toLowerCase();
}
