import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"];
const date = { GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" };

/** The same files twice: for runs in the service, and for native ones. */
export function prepareFiles(place: string, python: string): void {
	for (const side of ["service", "native"]) {
		const directory = join(place, side);
		const repository = join(directory, "repository");
		mkdirSync(repository, { recursive: true });
		writeFileSync(join(directory, "table.csv"), "a,b\n1,2\n");
		writeFileSync(join(directory, "page.xml"), '<list kind="short"><item>1</item><item>2</item></list>\n');
		makeWorkbook(join(directory, "book.xlsx"), python);
		execFileSync("git", ["init", "-q", "-b", "main"], { cwd: repository });
		commit(repository, "first");
	}
}

/** A commit without files, always the same. */
export function commit(repository: string, message: string): void {
	execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", message], { cwd: repository, env: { ...process.env, ...date } });
}

/** Where the interpreter has the package for it: otherwise the actions fail here and natively in the same way. */
function makeWorkbook(file: string, python: string): void {
	const rows = "sheet.append(['host', 'ip']); sheet.append(['host1', '10.0.0.1'])";
	const text = `import openpyxl, sys\nbook = openpyxl.Workbook()\nsheet = book.active\nsheet.title = "Sheet1"\n${rows}\nbook.save(sys.argv[1])`;
	try {
		execFileSync(python, ["-c", text, file], { stdio: "ignore" });
	} catch {
		console.log("\tno workbook: the interpreter has no openpyxl");
	}
}
