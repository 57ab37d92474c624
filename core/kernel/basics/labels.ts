import { SvcError } from "../../contract/index.ts";

/** Labels that a worker has, or that a run needs: most of them, and what one looks like. */
export const mostLabels = 32;
export const labelPattern = "^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$";
const label = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,62}$/;

/** Each once, in order. `SVC_INVALID` names the field and what is allowed. */
export function toLabels(field: string, given: unknown): readonly string[] {
	if (!Array.isArray(given)) throw new SvcError("SVC_INVALID", `${field}: must be a list of labels`);
	for (const one of given) {
		if (typeof one === "string" && label.test(one)) continue;
		throw new SvcError(
			"SVC_INVALID",
			`${field}: ${JSON.stringify(one)} is no label: 1 to 63 letters, digits and . _ : = - that begin with a letter or digit`,
		);
	}
	const labels = [...new Set(given as string[])].sort();
	if (labels.length > mostLabels) throw new SvcError("SVC_INVALID", `${field}: must be at most ${mostLabels} labels`);
	return labels;
}
