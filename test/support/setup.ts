// Runs before each test file of a process.
import './cheap-scrypt.ts'
