import { hash } from "bcryptjs";

/** Maximum password bytes; bcrypt ignores all further bytes. */
export const maximumBcryptBytes = 72;

const cost = 10;

/** Returns the hash that is stored for a new user's password. */
export function hashPassword(password: string): Promise<string> {
	return hash(password, cost);
}

/** Valid hash whose password is unknown. Verifying it takes as long as verifying a hash from `hashPassword`. */
export const unknownPassword = `$2b$${cost}$${"abcdefghijklmnopqrstuu".padEnd(53, "x")}`;
