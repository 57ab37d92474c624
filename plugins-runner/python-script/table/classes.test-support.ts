import * as assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check, Scope } from "./check.test-support.ts";

const twoClasses = `
import abc
from svc.actions import Action
class Alpha: pass
class Base(Action): pass
class Contract(Action, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def run(self): pass
class Zeta(Action):
    def run(self): return 'Zeta'
class Chosen(Zeta):
    def run(self): return 'Chosen'
`;
const constructors = `
from svc.actions import Action
class Test(Action):
    def __init__(self, config):
        super().__init__(config)
        self.early = self.action_service
    def run(self):
        return [self.early, type(self.action_service).__name__, self.config]
`;

export function checkClasses(check: Check): void {
	check("the first class in the order of the alphabet that can run is taken", async ({ pack, runner }) => {
		assert.equal((await runner.run(pack.action("classes.py", twoClasses))).result["result"], "Chosen");
	});

	check("a constructor that takes only the configuration gets the service afterwards", async ({ pack, runner }) => {
		const { result } = await runner.run(pack.action("constructors.py", constructors));
		assert.deepEqual(result["result"], [null, "ActionService", {}]);
	});

	check("a class that is derived from nothing will do", async ({ pack, runner }) => {
		const text =
			"class Plain:\n    def __init__(self, config, action_service): self.config = config\n    def run(self, x): return x, self.config\n";
		const { result } = await runner.run({ ...pack.action("plain.py", text), actionParameters: { x: true }, packConfig: { a: 1 } });
		assert.deepEqual(result["result"], { a: 1 });
	});

	for (const [name, text, reason] of [
		["none", "x = 1\n", /defines no class with a method run/],
		["syntax", "class Test(:\n", /SyntaxError/],
		["import", "import no_such_module\n", /No module named 'no_such_module'/],
	] as const) {
		check(`a file without an action fails and says why (${name})`, async ({ pack, runner }) => {
			const { succeeded, result } = await runner.run(pack.action(`${name}.py`, text));
			assert.equal(succeeded, false);
			assert.equal(result["exit_code"], 1);
			assert.match(String(result["stderr"]), reason);
			assert.doesNotMatch(String(result["stderr"]), /driver\.py/);
		});
	}
}

/** Writes the modules that `modulesUse` imports. */
export function writeModules({ pack, runner }: Scope): void {
	writeFileSync(join(runner.modules, "foreign.py"), "from svc.actions import Action\nname = 'foreign'\n");
	writeFileSync(join(runner.modules, "helper.py"), "name = 'of the dialect'\n");
	pack.write("actions/helper.py", "name = 'of the pack'\n");
	pack.write("actions/lib/__init__.py", "");
	pack.write("actions/lib/bare.py", "value = 'bare'\n");
	pack.write("actions/lib/dotted.py", "value = 'dotted'\n");
	pack.write("actions/sibling.py", "value = 'sibling'\n");
}

/** Body of `run`: modules of the pack and of a dialect. */
export const modulesUse = `
import bare, sibling, foreign, helper
from lib.dotted import value
return [bare.value, value, sibling.value, foreign.name, helper.name, foreign.Action is Action]`;

/** What `modulesUse` returns. */
export const seenModules = ["bare", "dotted", "sibling", "foreign", "of the pack", true];

/** Body of `run` of an entry point with the name of a module of the standard library: the name of the module that it imports. */
export const toNamedUse = (name: string) =>
	`import ${name}\nself.logger.info('x')\nreturn '${name}' if ${name}.__file__ != __file__ else 'shadowed'`;

export function checkModules(check: Check): void {
	check("modules of actions/lib are found by bare name and through lib, those of a dialect behind them", async (scope) => {
		writeModules(scope);
		assert.deepEqual((await scope.runner.run(scope.pack.body("imports", modulesUse))).result["result"], seenModules);
	});

	check("an entry point named like a module of the standard library stands in nobody's way", async ({ pack, runner }) => {
		for (const name of ["json", "logging", "http", "os"])
			assert.equal((await runner.run(pack.body(name, toNamedUse(name)))).result["result"], name);
	});
}
