import { SvcError } from "../../contract/index.ts";

/** What is not seen, or tells no names apart. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\s]/gu;

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
	return name.normalize("NFKD").replace(unseen, "").toLowerCase();
}
