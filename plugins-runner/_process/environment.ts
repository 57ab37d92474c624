const passedVariables = ["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"];
const localeCategories = "ALL ADDRESS COLLATE CTYPE IDENTIFICATION MEASUREMENT MESSAGES MONETARY NAME NUMERIC PAPER TELEPHONE TIME".split(
	" ",
);
const passedNames = [...passedVariables, ...localeCategories.map((category) => `LC_${category}`)];
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Returns the environment for processes: the variables of the service for paths and language, and none that may contain a secret of the service.
 * Each variable is read by name, because copying the whole environment costs several times as much.
 */
export function createBaseEnvironment(source: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
	const environment: Record<string, string> = { PATH: defaultPath, TERM: "dumb" };
	for (const name of passedNames) {
		const value = source[name];
		if (value !== undefined) environment[name] = value;
	}
	return environment;
}

let cachedEnvironment: Readonly<Record<string, string>> | undefined;

/** Returns the base environment of this process, read once: each variable costs a call of the system's library. */
export function baseEnvironment(): Readonly<Record<string, string>> {
	cachedEnvironment ??= createBaseEnvironment();
	return cachedEnvironment;
}
