// Compiles the project of the working directory with the TypeScript in the folder that is the first argument. The declarations of Node and
// of the language are not checked, which takes a third of the time: the compiler that checks them as well is the current one.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder = ""] = process.argv;
const directory = process.cwd();
const { default: ts } = await import(pathToFileURL(join(folder, "lib/typescript.js")).href);
const { config } = ts.readConfigFile(join(directory, "tsconfig.json"), ts.sys.readFile);
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, directory);
const program = ts.createProgram(fileNames, options);
const checked = program.getSourceFiles().filter(({ fileName }) => !/\/(@types\/node|undici-types|typescript)\//.test(fileName));
const problems = [
	...errors,
	...program.getOptionsDiagnostics(),
	...program.getGlobalDiagnostics(),
	...program.getSyntacticDiagnostics(),
	...checked.flatMap((file) => program.getSemanticDiagnostics(file)),
	// Each file alone: to emit the whole program, the compiler checks all of it again.
	...fileNames.flatMap((name) => program.emit(program.getSourceFile(name)).diagnostics),
];
const host = { getCurrentDirectory: () => directory, getCanonicalFileName: (name) => name, getNewLine: () => "\n" };
process.stdout.write(ts.formatDiagnostics(problems, host));
process.exitCode = problems.length === 0 && checked.length > 0 ? 0 : 1;
