import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the administrator's password. A service stores only its hash, so the quick start stores the password in a file that only
 * its owner can read. Do not do this in your own service.
 */
export function adminPassword(directory: string): string {
	const file = join(directory, "admin-password");
	if (existsSync(file)) return readFileSync(file, "utf8").trim();
	const password = process.env["SVC_ADMIN_PASSWORD"] || randomBytes(12).toString("hex");
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	writeFileSync(file, `${password}\n`, { mode: 0o600 });
	return password;
}
