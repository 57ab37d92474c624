import { SvcError } from "../../core/contract/index.ts";

export interface HttpPollOptions {
	/** URL to poll, `http` or `https`. Payloads contain it, so credentials belong in `headers`. */
	readonly url: string;
	/** Name of the sensor; required if several such sensors exist. Default `http-poll`. */
	readonly name?: string;
	/** Whole seconds between two polls, at least 4. Default 60. */
	readonly interval?: number;
	/** Headers of each request. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Maximum seconds until a response is complete. Default 30. */
	readonly timeout?: number;
	/** `change`: dispatches if status or body differ from the previous response. `always`: dispatches each response. Default `change`. */
	readonly dispatch?: "change" | "always";
	/** True to follow redirects, with the same headers. Otherwise the redirect itself is the response. Default false. */
	readonly allow_redirects?: boolean;
	/** Maximum bytes of a body that are read. Default 1 MiB. */
	readonly max_body?: number;
}

interface Rule {
	readonly allowed: string;
	readonly isRight: (value: unknown) => boolean;
}

const positive = (value: unknown) => typeof value === "number" && value > 0 && Number.isFinite(value);
const flag: Rule = { allowed: "true or false", isRight: (value) => typeof value === "boolean" };

/** Validation rules by option. `url` is validated by `toUrl` when the sensor is created. */
const rules: Readonly<Record<string, Rule>> = {
	url: { allowed: "an address", isRight: () => true },
	name: { allowed: "a name", isRight: (value) => typeof value === "string" },
	interval: { allowed: "a whole number of seconds of at least 4", isRight: (value) => Number.isInteger(value) && Number(value) >= 4 },
	headers: { allowed: "an object of strings", isRight: isTexts },
	timeout: { allowed: "a number of seconds greater than 0", isRight: positive },
	dispatch: { allowed: '"change" or "always"', isRight: (value) => value === "change" || value === "always" },
	allow_redirects: flag,
	max_body: { allowed: "a number of bytes greater than 0", isRight: positive },
};

function isTexts(value: unknown): boolean {
	return typeof value === "object" && value !== null && Object.values(value).every((text) => typeof text === "string");
}

/** Validates the options. Throws `SVC_CONFIG` with all problems. */
export function assertOptions(options: Readonly<Record<string, unknown>>): void {
	const problems = Object.entries(options).flatMap(([name, value]) => {
		const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
		if (rule === undefined) return [`${name}: unknown option; allowed: ${Object.keys(rules).join(", ")}`];
		return value === undefined || rule.isRight(value) ? [] : [`${name}: must be ${rule.allowed}`];
	});
	if (problems.length > 0) throw new SvcError("SVC_CONFIG", `sensor http-poll: ${problems.join("; ")}`, { facts: { problems } });
}

export function toUrl(address: string | undefined): URL {
	if (address === undefined)
		throw new SvcError("SVC_CONFIG", "sensor http-poll: url: required, a URL that begins with http:// or https://");
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url?.protocol !== "http:" && url?.protocol !== "https:") {
		throw new SvcError("SVC_CONFIG", "sensor http-poll: url: must begin with http:// or https://");
	}
	if (url.username !== "" || url.password !== "") {
		throw new SvcError("SVC_CONFIG", "sensor http-poll: url: must not contain a user or password; give them in headers");
	}
	return url;
}
