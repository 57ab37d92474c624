import { hash } from "bcryptjs";

/** bcrypt ignores what is beyond. */
export const maximumBcryptBytes = 72;

const cost = 10;

/** As a new user's password is stored. */
export function hashPassword(password: string): Promise<string> {
	return hash(password, cost);
}

/** Takes as long to verify as what `hashPassword` makes; nobody knows its password. */
export const unknownPassword = `$2b$${cost}$${"abcdefghijklmnopqrstuu".padEnd(53, "x")}`;
