import { access, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where distributions keep the rules of services, one file for each. */
const directories = ["/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d", "/usr/etc/pam.d"];
/** The old place: one file with the rules of all. */
const singleFile = "/etc/pam.conf";

/** Whether the machine has rules for a PAM service. Without, PAM takes those of the service `other`. */
export async function isServiceDefined(service: string): Promise<boolean> {
	// PAM itself does not tell upper from lower case here.
	const name = service.toLowerCase();
	const found = await Promise.all(directories.map((directory) => exists(join(directory, name))));
	if (found.includes(true)) return true;
	const rules = await readFile(singleFile, "utf8").catch(() => "");
	return rules.split("\n").some((rule) => rule.trim().split(/\s+/)[0]?.toLowerCase() === name);
}

function exists(file: string): Promise<boolean> {
	return access(file).then(
		() => true,
		() => false,
	);
}
