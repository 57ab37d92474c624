import { createHash, randomBytes } from "node:crypto";
import { unknownPassword } from "./bcrypt.ts";

/** A stored password for the name of somebody who is not among the users. */
export type StandIn = (username: string, users: ReadonlyMap<string, string>) => string;

/**
 * Unknown users must take as long as known ones. Where schemes and costs differ within the file, each name is given the stored
 * password of one of the users, always the same, so that unknown names are spread over the times just as known ones are.
 */
export function createStandIn(): StandIn {
	// Makes the choice unpredictable.
	const key = randomBytes(16);
	return (username, users) => {
		const stored = [...users.values()];
		const number = createHash("sha256").update(key).update(username).digest().readUInt32BE();
		return stored[number % Math.max(1, stored.length)] ?? unknownPassword;
	};
}
