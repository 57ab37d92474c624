const passedOn = ["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"];
const locale = "ALL ADDRESS COLLATE CTYPE IDENTIFICATION MEASUREMENT MESSAGES MONETARY NAME NUMERIC PAPER TELEPHONE TIME".split(" ");
const names = [...passedOn, ...locale.map((category) => `LC_${category}`)];
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * What processes get of the service's own environment: where things are and which language to speak, and nothing that might
 * be a secret of the service. Asks for each name: taking the whole environment costs several times as much.
 */
export function createBaseEnvironment(own: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
	const environment: Record<string, string> = { PATH: defaultPath, TERM: "dumb" };
	for (const name of names) {
		const value = own[name];
		if (value !== undefined) environment[name] = value;
	}
	return environment;
}

let ownEnvironment: Readonly<Record<string, string>> | undefined;

/** The same of the environment that the service was started with: asked for once, as each variable costs a call of the system's library. */
export function baseEnvironment(): Readonly<Record<string, string>> {
	ownEnvironment ??= createBaseEnvironment();
	return ownEnvironment;
}
