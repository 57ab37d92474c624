import { SvcError } from "../../core/contract/index.ts";

/** Returns shell commands that export the variables. Throws `SVC_INVALID` if the shell does not allow a name. */
export function toShellVariables(variables: Readonly<Record<string, string>>): string {
	return Object.entries(variables)
		.map(([name, value]) => {
			if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
				throw new SvcError("SVC_INVALID", `parameter "env": a container cannot have the variable "${name}"`);
			return `export ${name}='${value.replaceAll("'", "'\\''")}'\n`;
		})
		.join("");
}
