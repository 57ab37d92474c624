import { type JsonValue, SvcError } from "../../contract/index.ts";
import { hasUnseen, hasUnseenInLines } from "../../contract/unseen-text.ts";

/** Names that can stand in a ref. */
export const namePattern = /^[A-Za-z0-9_.-]{1,255}$/;
const packPattern = /^[a-z0-9_]{1,255}$/;

/** Packs whose content belongs to the service. */
const systemPacks: ReadonlySet<string> = new Set(["core", "packs", "chatops"]);

/** Whether a name can stand in a ref: letters of other scripts look like these and are others. */
export function isName(name: string): boolean {
	return namePattern.test(name);
}

/** Refuse names that could not stand in a ref. */
export function assertNames({ pack, name }: { readonly pack: string; readonly name: string }): void {
	if (!packPattern.test(pack)) throw new SvcError("SVC_INVALID", `pack: "${pack}" must consist of a to z, 0 to 9 and _`);
	if (!isName(name)) throw new SvcError("SVC_INVALID", `name: "${name}" must consist of letters, digits, _, - and .`);
}

/** Refuse a name that would show as another one. What is stored under one of an earlier version stays. */
export function assertSeen(member: string, name: string): void {
	if (hasUnseen(name)) throw toUnseenError(member);
}

/** The same for every text and name within a value; texts may have several lines. */
export function assertSeenWithin(member: string, value: JsonValue | undefined): void {
	if (typeof value === "string" && hasUnseenInLines(value)) throw toUnseenError(member);
	if (typeof value !== "object" || value === null) return;
	for (const [name, inner] of Object.entries(value)) {
		assertSeen(member, name);
		assertSeenWithin(member, inner as JsonValue);
	}
}

function toUnseenError(member: string): SvcError {
	return new SvcError("SVC_INVALID", `${member}: control characters and those that change the direction of writing are not allowed`);
}

/** Refuse changes to what belongs to the service. */
export function assertNotSystem(pack: string): void {
	if (systemPacks.has(pack)) {
		throw new SvcError("SVC_INVALID", `pack: resources of the system pack "${pack}" cannot be created, changed or deleted`);
	}
}

/** Labels that a worker has, or that a run needs: most of them, and what one looks like. */
export const mostLabels = 32;
export const labelPattern = "^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$";
const label = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$/;

/** Each once, in order. `SVC_INVALID` names the field and what is allowed. */
export function toLabels(field: string, given: unknown): readonly string[] {
	if (!Array.isArray(given)) throw new SvcError("SVC_INVALID", `${field}: must be a list of labels`);
	for (const one of given) {
		if (typeof one === "string" && label.test(one)) continue;
		throw new SvcError(
			"SVC_INVALID",
			`${field}: ${JSON.stringify(one)} is no label: 1 to 63 letters, digits and . _ : = - that begin with a letter or digit`,
		);
	}
	const labels = [...new Set(given as string[])].sort();
	if (labels.length > mostLabels) throw new SvcError("SVC_INVALID", `${field}: must be at most ${mostLabels} labels`);
	return labels;
}

/** What is not seen, or tells no names apart. */
const ignorableCharacters = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\s]/gu;

/**
 * Whether a name is the system user's, or could be taken for it: in other case, in letters of another width, with characters that
 * are not seen. What the system user does is done without anybody's permissions, so nobody may sign in as it.
 */
export function isReservedName(name: string, systemUser: string): boolean {
	return fold(name) === fold(systemUser);
}

/** `SVC_INVALID` where somebody is named who cannot be. */
export function assertNotReserved(member: string, name: string, systemUser: string): void {
	if (!isReservedName(name, systemUser)) return;
	throw new SvcError("SVC_INVALID", `${member}: "${systemUser}" is the system's own (system_user.user), so nobody may be called that`);
}

function fold(name: string): string {
	return name.normalize("NFKD").replace(ignorableCharacters, "").toLowerCase();
}
