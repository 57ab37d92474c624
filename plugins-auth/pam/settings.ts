import { SvcError } from "../../core/contract/index.ts";
import { OptionReader } from "../_options/option-reader.ts";

export interface PamOptions {
	/** Name of the PAM service, which selects the file with its rules in `/etc/pam.d`. Default: `login`. */
	readonly service?: string;
	/** True if the service must not start without root, because only root may verify the passwords of all users. Default: true. */
	readonly check_for_root?: boolean;
	/** Maximum seconds of a PAM conversation. Default: 30. */
	readonly timeout?: number;
}

/** Validated options. */
export interface PamSettings {
	readonly service: string;
	readonly checkForRoot: boolean;
	/** Maximum seconds of a PAM conversation. */
	readonly timeout: number;
}

const longestTimeout = 3_600;

export function parseSettings(input: unknown): PamSettings {
	const reader = new OptionReader(input);
	const service = reader.text("service") ?? "login";
	// PAM would use only the part after a slash, and would follow "../" to other directories.
	if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(service)) {
		reader.report("service", `"${service}" must be letters, digits, ".", "_" and "-", such as "login"`);
	}
	const checkForRoot = reader.flag("check_for_root", true);
	const timeout = reader.number("timeout", { minimum: 0.001, maximum: longestTimeout }) ?? 30;
	reader.finish("pam");
	return { service, checkForRoot, timeout };
}

/** Throws `SVC_CONFIG` if root is required and the process is not root. */
export function assertMayVerify({ checkForRoot }: PamSettings): void {
	if (!checkForRoot || process.geteuid?.() === 0) return;
	throw new SvcError(
		"SVC_CONFIG",
		"pam: the service must run as root, because only root may verify passwords of all users; if the PAM service does not need root, set check_for_root: false",
	);
}

/** Throws `SVC_CONFIG` if the package that calls PAM is not installed. */
export function assertPackage(): void {
	try {
		import.meta.resolve("koffi");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", 'pam needs the package "koffi", which is missing: npm install koffi', { cause });
	}
}
