import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The administrator's password. A service keeps only its hash, so the quick start remembers it itself, in a file that only
 * its owner can read; a service of your own should not do so.
 */
export function adminPassword(directory: string): string {
	const file = join(directory, "admin-password");
	if (existsSync(file)) return readFileSync(file, "utf8").trim();
	const password = process.env["SVC_ADMIN_PASSWORD"] || randomBytes(12).toString("hex");
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	writeFileSync(file, `${password}\n`, { mode: 0o600 });
	return password;
}
