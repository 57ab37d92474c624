import { stringify } from "yaml";
import { toFakeDefinition } from "./fake-workflow.test-support.ts";
import type { PackFiles } from "./whole-service.test-support.ts";

/** Ways a secret may look: ten plain characters, several lines, texts that JSON, YAML and addresses write differently. */
const shapes: readonly ((place: string) => string)[] = [
	(place) => `${place}-kP2xW`,
	(place) => `${place} line one\n${place} line "two"\n\t${place} line \\three\\`,
	(place) => `${place} "},{'a': [b], %41 &c=d+e; <f> $g`,
	(place) => `${place} gehéim 日本 🔑 ß`,
];

/** Hands out secrets that differ from place to place, and remembers them. */
export class SecretValues {
	/** Secrets that are stored with actions and executions. */
	readonly stored: string[] = [];
	/** Secrets of requests that were refused: shown to nobody, whatever the options. */
	readonly refused: string[] = [];
	#count = 0;

	store(): string {
		return this.#next(this.stored);
	}

	/** One that means nothing to a shell. */
	storePlain(): string {
		return this.#next(this.stored, 0);
	}

	refuse(): string {
		return this.#next(this.refused);
	}

	#next(list: string[], shape = this.#count % shapes.length): string {
		const place = `Q${String(this.#count).padStart(2, "0")}z`;
		const secret = (shapes[shape] as (place: string) => string)(place);
		this.#count += 1;
		list.push(secret);
		return secret;
	}
}

const nested = (secrets: SecretValues) => ({
	pin: { type: "string", secret: true, default: secrets.store() },
	options: {
		type: "object",
		properties: {
			pin: { type: "string", secret: true, default: secrets.store() },
			account: { type: "object", properties: { key: { secret: true } }, default: { key: secrets.store() } },
			colour: { type: "string" },
		},
	},
	keys: { type: "array", items: { type: "string", secret: true } },
	entries: { type: "array", items: { type: "object", properties: { token: { type: "string", secret: true }, id: { type: "integer" } } } },
	whole: { type: "object", secret: true, default: { inner: [secrets.store()] } },
	chosen: { type: "string", secret: true, enum: [secrets.store(), secrets.store()] },
	derived: { type: "string", secret: true, default: "{{ pin }} and more" },
	number: { type: "integer", secret: true },
	short: { type: "string", secret: true, maxLength: 5 },
	seconds: { type: "number", default: 0 },
	code: { type: "integer", default: 0 },
});

/** A pack of actions with secrets of every kind; they print nothing. */
export function createSecretPack(secrets: SecretValues): PackFiles {
	const command = {
		name: "command",
		runner_type: "local-shell-cmd",
		parameters: {
			...nested(secrets),
			cmd: { default: "sleep {{ seconds }}; exit {{ code }}", immutable: true },
			cwd: {},
			sudo_password: { default: secrets.store() },
		},
	};
	const script = {
		name: "script",
		runner_type: "local-shell-script",
		entry_point: "script.sh",
		parameters: {
			...nested(secrets),
			seconds: { type: "number", default: 0, position: 0 },
			code: { type: "integer", default: 0, position: 1 },
		},
	};
	const embedded = {
		name: "embedded",
		runner_type: "local-shell-cmd",
		parameters: {
			pin: { type: "string", secret: true, default: secrets.storePlain() },
			cmd: { default: ": '{{ pin }}'" },
			env: { default: { HEADERS: ["Authorization: {{ pin }}"] } },
		},
	};
	const flow = {
		name: "flow",
		runner_type: "workflow",
		entry_point: "workflows/flow.yaml",
		parameters: { pin: { type: "string", secret: true, default: secrets.storePlain() } },
	};
	return {
		"vault/pack.yaml": stringify({ ref: "vault", name: "vault", description: "Secrets.", version: "1.0.0", author: "somebody" }),
		"vault/config.schema.yaml": stringify({
			pin: { type: "string", secret: true, default: secrets.store() },
			other: { type: "integer" },
		}),
		"vault/actions/command.yaml": stringify(command),
		"vault/actions/script.yaml": stringify(script),
		"vault/actions/embedded.yaml": stringify(embedded),
		"vault/actions/flow.yaml": stringify(flow),
		"vault/actions/workflows/flow.yaml": toFakeDefinition({
			pass: { action: "vault.command", input: { pin: "<pin>", options: { pin: "<pin>" } }, next: [{ do: "open" }] },
			open: { action: "vault.<pin>" },
		}),
		"vault/actions/script.sh": '#!/bin/sh\nshift $(($# - 2))\nsleep "$1"\nexit "$2"\n',
	};
}

/** Parameters with a secret in every place. */
export function createParameters(secrets: SecretValues): Readonly<Record<string, unknown>> {
	return {
		pin: secrets.store(),
		options: { pin: secrets.store(), account: { key: secrets.store() }, colour: "red" },
		keys: [secrets.store(), secrets.store()],
		entries: [
			{ token: secrets.store(), id: 1 },
			{ token: secrets.store(), id: 2 },
		],
		whole: { a: { b: secrets.store() } },
	};
}

/** Requests that are refused, each for another reason, with a secret in what is wrong. */
export function createRefused(secrets: SecretValues): readonly Readonly<Record<string, unknown>>[] {
	const secret = () => secrets.refuse();
	const word = () => secrets.refuse().replace(/\W+/g, "_");
	return [
		{ number: secret() },
		{ number: { a: secret() } },
		{ pin: [secret()] },
		{ pin: { a: secret() }, unknown: 1 },
		{ unknown: secret(), pin: secret() },
		{ short: secret() },
		{ chosen: secret() },
		{ whole: secret() },
		{ whole: `{"a": "${secret()}` },
		{ options: `{"pin": "${secret()}", nonsense` },
		{ options: [{ pin: secret() }] },
		{ options: { pin: { a: secret() } } },
		{ options: { pin: secret(), colour: 7 } },
		{ entries: { token: secret() } },
		{ entries: [{ token: [secret()], id: "x" }] },
		{ keys: secret() },
		{ keys: [{ a: secret() }] },
		{ seconds: "x", pin: secret() },
		{ cmd: secret() },
		{ timeout: secret() },
		{ pin: `{{ pin.${word()} }}` },
		{ pin: `{{ '${word()}'.constructor }}` },
		{ pin: `{{ '${word()}' | ${word()} }}` },
		{ pin: `{{ '${word()}' | from_json_string }}` },
		{ pin: `{{ ${word()}('a') }}`, options: { pin: `{{ {}['${word()}'] }}` } },
		{ pin: secret(), derived: "{{ {}[pin] }}" },
		{ pin: secret(), env: { a: "{{ {}[pin] }}" } },
		{ pin: secret(), env: { a: "{{ [1] | map(attribute=pin) | list }}" } },
		{ pin: secret(), options: [{ pin: secret() }], entries: { token: secret() }, whole: secret(), cwd: "{{ cwd }}" },
		{ pin: secret(), keys: secret(), options: JSON.stringify({ pin: secret() }), cwd: "{{ pin + 1 }}" },
	];
}
