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
	if (hasUnseen(name)) throw unseen(member);
}

/** The same for every text and name within a value; texts may have several lines. */
export function assertSeenWithin(member: string, value: JsonValue | undefined): void {
	if (typeof value === "string" && hasUnseenInLines(value)) throw unseen(member);
	if (typeof value !== "object" || value === null) return;
	for (const [name, inner] of Object.entries(value)) {
		assertSeen(member, name);
		assertSeenWithin(member, inner as JsonValue);
	}
}

function unseen(member: string): SvcError {
	return new SvcError("SVC_INVALID", `${member}: control characters and those that change the direction of writing are not allowed`);
}

/** Refuse changes to what belongs to the service. */
export function assertNotSystem(pack: string): void {
	if (systemPacks.has(pack)) {
		throw new SvcError("SVC_INVALID", `pack: resources of the system pack "${pack}" cannot be created, changed or deleted`);
	}
}
