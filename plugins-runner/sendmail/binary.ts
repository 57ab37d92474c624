import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

/** The sendmail command: the one that is configured, or where systems have it. */
export async function findBinary(configured: string): Promise<string> {
	if (configured !== "") return configured;
	for (const directory of [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/lib"]) {
		const file = join(directory, "sendmail");
		if (directory.startsWith("/") && (await isExecutable(file))) return file;
	}
	throw new SvcError("SVC_RUNNER", "there is no sendmail on this machine: install one, or name it in the option mail.sendmail_binary");
}

async function isExecutable(file: string): Promise<boolean> {
	return access(file, constants.X_OK).then(
		() => true,
		() => false,
	);
}
