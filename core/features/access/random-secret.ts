import { randomBytes } from "node:crypto";

/** Returns a new random secret in the alphabet of base64url. It never starts with a dash, which command lines would read as an option. */
export function createRandomSecret(bytes: number): string {
	return randomBytes(bytes).toString("base64url").replace(/^[-_]/, "A");
}
