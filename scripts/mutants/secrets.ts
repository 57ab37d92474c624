import type { Mutant } from "./mutant.ts";

/** Mechanisms that keep secrets out of logs, answers and foreign hands. */
export const secretsMutants: readonly Mutant[] = [
	{
		name: "names-in-logs",
		promise: "Values of secret attributes never reach the log.",
		file: "core/kernel/secrets/redact.ts",
		text: "const masked = names.has(key.toLowerCase()) ? mask : maskLogValue(member, names, depth + 1);",
		replacement: "const masked = maskLogValue(member, names, depth + 1);",
		tests: ["core/service/logger.test.ts"],
	},
	{
		name: "depth-in-logs",
		promise: "Fields of a log line that are nested too deeply are masked.",
		file: "core/kernel/secrets/redact.ts",
		text: "if (depth > maximumDepth) return mask;",
		replacement: "if (depth > maximumDepth) return value;",
		tests: ["core/language/parameters/mask.test.ts"],
	},
	{
		name: "decryption-of-foreign-items",
		promise: "A template decrypts no item of another user.",
		file: "core/features/datastore/template-access.ts",
		text: " || (address.user !== null && address.user !== this.#reader.username)",
		replacement: "",
		tests: ["core/features/datastore/decrypt.test.ts"],
	},
	{
		name: "decryption-right",
		promise: "A template decrypts only items that its author may view.",
		file: "core/features/datastore/template-access.ts",
		text: "\t\tthis.#assertMayUse(await this.#toPrincipal(), address);\n\t\treturn this.#toClear(cipherText, address);",
		replacement: "\t\treturn this.#toClear(cipherText, address);",
		tests: ["core/features/datastore/decrypt.test.ts"],
	},
	{
		name: "view-right-of-templates",
		promise: "A template reads only items that its author may view.",
		file: "core/features/datastore/template-access.ts",
		text: "\t\tthis.#assertMayView(await this.#toPrincipal(), address);\n",
		replacement: "",
		tests: ["core/features/datastore/template-access.test.ts"],
	},
	{
		name: "hash-of-audit-entries",
		promise: "An audit entry that was changed afterwards is found.",
		file: "core/features/audit/chain.ts",
		text: "const values = members.map((member) => (entry as AuditEntry)[member] ?? null);",
		replacement: "const values = members.map((member) => member);",
		tests: ["core/features/audit/verify.test.ts"],
	},
	{
		name: "chain-of-audit-entries",
		promise: "An audit entry that was removed from the middle is found.",
		file: "core/features/audit/verify.ts",
		text: "else if (number > expected) this.#find(",
		replacement: "else if (number < 0) this.#find(",
		tests: ["core/features/audit/verify.test.ts"],
	},
];
