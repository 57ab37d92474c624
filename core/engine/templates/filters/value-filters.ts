import type { Filter } from "./filter.ts";

export const valueFilters: Readonly<Record<string, Filter>> = {
	decrypt_kv: (input, given, { decrypt, budget }) => {
		if (typeof input !== "string") throw given.error("needs the text of a datastore item");
		if (input === "") throw given.error("cannot decrypt a datastore item that is absent or empty");
		budget.text(input.length);
		return decrypt(input);
	},
};
